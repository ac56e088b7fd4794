#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lethe::elementary {

// The elementary functions, the same bits on every machine. The C library has several versions of
// each, picks one by the processor, and they differ in the last bit; a model, its noise and its
// receipts would differ with them. These use +, -, *, /, square roots and integers alone, which
// IEEE 754 defines to the bit, and are compiled without fused multiply-adds. Nothing in engine/,
// state/, connectors/ or app/ may use another one (tests/boundaries).
//
// Errors are in units of the last place of the exact result, proven where the function is defined
// and measured in tests/unit/engine/base/elementary_test.cc. All functions are thread-safe.

// Below 0.52 for normal results, and within 1 for subnormal ones. Monotone. Exact at 0 and at the
// infinities; NaN stays NaN.
double Exp(double x);

// Below 0.52. -infinity at 0; NaN below 0.
double Log(double x);
// log(1 + x), below 0.52, also for tiny x. -infinity at -1; NaN below -1.
double Log1p(double x);

// x^y for x >= 0, below 0.6 for normal results, and within 1 for subnormal ones. NaN for x < 0.
double Pow(double x, double y);

// The sine and cosine of 2 pi turns, below 1.5 each; NaN unless turns is finite. The reduction is
// exact, so that quarters of a turn give 0 and +-1.
struct Angle {
  double sin;
  double cos;
};
Angle SinCosOfTurns(double turns);

// ---- What Exp consists of; it is inline because a logistic step waits for it.

// 2^(i/128), rounded, and what the rounding left, relative to the rounded value.
struct ExpEntry {
  double value;
  double rest;
};
inline constexpr int kExpSteps = 128;
extern const ExpEntry kExpTable[kExpSteps];

// 2^kShift exp(x + rest) for |rest| < 2^-40 and an x for which the result is between e^-kExpRange
// and the largest double.
//
// With n the integer nearest to 128 x / ln 2, x = n ln2/128 + r and |r| < 0.0028. The table has
// 2^(n/128) but for the power of two. n times the high part of ln2/128, of 36 bits, is exact, and
// so is its difference to x; the low part and the sum with the table's rest are wrong by 3 * 2^-62
// together, the polynomial by 2^-64, and the products with the scale and their sum by 2^-60.5. The
// last sum adds half a unit.
//
// Monotone: for one n, r grows with x, and each operation keeps the order, because the terms of
// higher order in r change by less than r does. At each of the 190,000 borders between two n it was
// checked (the test does it again).
template <int kShift = 0>
[[gnu::always_inline]] inline double ExpInRange(double x, double rest = 0) {
  constexpr double kStepsPerUnit = 0x1.71547652b82fep+7;  // 128 / ln 2
  constexpr double kHigh = 0x1.62e42fefap-8;              // ln 2 / 128
  constexpr double kLow = 0x1.cf79abc9e3b3ap-47;
  constexpr double kRound = 0x1.8p52;  // adding it leaves the integer in the last bits
  const double sum = x * kStepsPerUnit + kRound;
  const auto n = std::bit_cast<std::uint64_t>(sum);
  const double whole = sum - kRound;
  const double r = (x - whole * kHigh) - (whole * kLow - rest);
  const ExpEntry& entry = kExpTable[n % kExpSteps];
  const double square = r * r;
  const double tail = (0x1.fffffffffff51p-2 + r * 0x1.5555555555523p-3) +
                      square * (0x1.55555ae8e1f8p-5 + r * 0x1.11111440cf238p-7);
  const std::uint64_t exponent = (n / kExpSteps + kShift) << 52;
  const double scale = std::bit_cast<double>(std::bit_cast<std::uint64_t>(entry.value) + exponent);
  // In this order the polynomial, which is ready last, meets one product and two sums.
  return scale + (scale * (entry.rest + r) + (scale * square) * tail);
}

inline constexpr double kExpRange = 660;  // for |x| below this nothing in ExpInRange is subnormal

// exp(x + rest) for the other x, NaN included.
double ExpOutOfRange(double x, double rest = 0);

[[gnu::always_inline]] inline double Exp(double x) {
  if (!(std::abs(x) < kExpRange)) [[unlikely]]
    return ExpOutOfRange(x);
  return ExpInRange(x);
}

// ---- For loops over many numbers: without branches, so that a compiler can vectorise them.

// exp(x) for x <= 0; 0 below -kExpRange.
[[gnu::always_inline]] inline double ExpOfNegative(double x) {
  const bool in_range = x > -kExpRange;
  const double e = ExpInRange(in_range ? x : -kExpRange);
  return in_range ? e : 0;
}

// log(1 + x) for 0 <= x <= 1, within 2^-52 of the value and 2^-51 relative to it.
//
// Above sqrt 2 - 1 the number 1 + x is halved. Then log(1 + f) = 2 artanh(s) with s = f/(2 + f) and
// |s| < 0.172. The polynomial in s^2 is wrong by 2^-59 of |s|.
[[gnu::always_inline]] inline double Log1pOfUnit(double x) {
  const bool halve = x > 0x1.a827999fcef32p-2;
  const double f = halve ? (x - 1) * 0.5 : x;
  const double s = f / (2 + f);
  const double t = s * s;
  double p = 0x1.2b6688a387e03p-3;
  p = p * t + 0x1.39fd392179a95p-3;
  p = p * t + 0x1.7462bd8f7796ep-3;
  p = p * t + 0x1.c71c62c639fdep-3;
  p = p * t + 0x1.2492492e09d4dp-2;
  p = p * t + 0x1.9999999995204p-2;
  p = p * t + 0x1.5555555555558p-1;
  return (2 * s + s * (t * p)) + (halve ? 0x1.62e42fefa39efp-1 : 0.0);
}

}  // namespace lethe::elementary
