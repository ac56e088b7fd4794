#include "engine/base/elementary.h"

#include <limits>

#include "engine/base/double_double_arithmetic.h"
#include "engine/base/log_table.h"

namespace lethe::elementary {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// ln 2: the high part has 42 bits, so that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42fefa38p-1;
constexpr double kLn2Low = 0x1.ef35793c7673p-45;

// A positive number s + c, but for a factor of 2^lifted, as 2^k / entry.inverse * (1 + r), where r
// is the unevaluated sum r_high + r_low.
struct Reduced {
  double k;
  const LogEntry& entry;
  double r_high;
  double r_low;
};

// s is normal, and c is at most half a unit of the last place of s.
//
// 2^-k s lies in [0.703125, 1.40625), cut into 128 parts; entry.inverse is near to the inverse of
// the middle of its part, a multiple of 2^-9 and exactly 1 in the two parts beside 1. So |r| <=
// 2^-7. The products of the inverse with the upper 26 bits and with the rest are exact, and so is
// the first difference; then Knuth's two-sum loses nothing either.
Reduced Reduce(double s, double c, int lifted) {
  constexpr std::uint64_t kFirst = 0x3fe6800000000000;  // 0.703125
  const auto bits = std::bit_cast<std::uint64_t>(s);
  const std::uint64_t from_first = bits - kFirst;
  const auto k = static_cast<std::int64_t>(from_first) >> 52;
  const auto power = static_cast<std::uint64_t>(k) << 52;
  const auto z_bits = bits - power;
  const LogEntry& entry = kLogTable[(from_first >> 45) % kLogSteps];
  const double z = std::bit_cast<double>(z_bits);
  const double upper = std::bit_cast<double>(z_bits & ~((std::uint64_t{1} << 27) - 1));
  const double a = upper * entry.inverse - 1;
  const double b = (z - upper) * entry.inverse;
  const double r = a + b;
  const double part = r - a;
  double low = (a - (r - part)) + (b - part);
  if (c != 0) low += std::ldexp(c, static_cast<int>(-k)) * entry.inverse;
  return {static_cast<double>(k - lifted), entry, r, low};
}

// The parts of the logarithm that do not depend on r: `high` is exact, because both its terms are
// multiples of 2^-42 below 2^10.
struct LogOfScale {
  double high;
  double low;
};
LogOfScale ScaleOf(const Reduced& x) {
  return {x.k * kLn2High + x.entry.log_high, x.k * kLn2Low + x.entry.log_low};
}

// log(s + c) for arguments of Reduce. `high` is 0 or more than 1.3 |r|, so the sum of both is exact
// in two doubles. What is left is below |r|^2 + 2^-42, and its rounding below 2^-66 for a result of
// at least 2^-8; if `high` is 0, it is below 2^-60 of the result. The polynomial is wrong by 2^-65
// of |r|. The last sum rounds by half a unit.
double LogOfSum(double s, double c, int lifted = 0) {
  const Reduced x = Reduce(s, c, lifted);
  const LogOfScale scale = ScaleOf(x);
  const double sum = scale.high + x.r_high;
  const double lost = (scale.high - sum) + x.r_high;
  const double r = x.r_high + x.r_low;
  double p = -0x1.000599b0ef46fp-3;
  p = p * r + 0x1.24988221953dep-3;
  p = p * r - 0x1.5555554a21e57p-3;
  p = p * r + 0x1.9999998d27905p-3;
  p = p * r - 0x1.000000000002dp-2;
  p = p * r + 0x1.5555555555587p-2;
  p = p * r - 0.5;
  return sum + (lost + (x.r_low + (scale.low + r * r * p)));
}

// log x for a normal x, with an error of at most 2^-67 of it: as LogOfSum, with r^2 / 2 as the sum
// of two doubles. The term of r^3 rounds by 2^-75 if |r| <= 2^-8, and by 2^-68 of r otherwise.
DoubleDouble LogInTwo(double value, int lifted = 0) {
  const Reduced x = Reduce(value, 0, lifted);
  const LogOfScale scale = ScaleOf(x);
  const double r = x.r_high + x.r_low;
  double p = 0x1.c726a07dd3bp-4;
  p = p * r - 0x1.000599b0ef46fp-3;
  p = p * r + 0x1.2492491a63858p-3;
  p = p * r - 0x1.5555554a21e57p-3;
  p = p * r + 0x1.99999999999ebp-3;
  p = p * r - 0x1.000000000002dp-2;
  p = p * r + 0x1.5555555555555p-2;
  const DoubleDouble square = Product(x.r_high, x.r_high);
  const double rest =
      (x.r_low - (square.low / 2 + x.r_high * x.r_low)) + (scale.low + r * r * r * p);
  return ((DoubleDouble{scale.high} + x.r_high) + -square.high / 2) + rest;
}

constexpr double kLeastNormal = std::numeric_limits<double>::min();
// Makes any subnormal number normal.
constexpr int kLifted = 54;
constexpr double kLift = 0x1p54;

}  // namespace

double ExpOutOfRange(double x, double rest) {
  if (std::isnan(x)) return x;
  if (x > 710) return kInfinity;
  if (x < -746) return 0;
  // The power of two is taken off before, so that the sum is normal, and put back after it. A
  // subnormal result is rounded twice, which is wrong by less than a unit.
  return x > 0 ? ExpInRange<-2>(x, rest) * 4 : ExpInRange<100>(x, rest) * 0x1p-100;
}

double Log(double x) {
  if (x >= kLeastNormal && x < kInfinity) [[likely]]
    return LogOfSum(x, 0);
  if (std::isnan(x) || x == kInfinity) return x;
  if (x == 0) return -kInfinity;
  if (x < 0) return kNaN;
  return LogOfSum(x * kLift, 0, kLifted);
}

// For a tiny x the first three terms are enough: the fourth is below 2^-59 of x.
double Log1p(double x) {
  if (std::isnan(x) || x == kInfinity) return x;
  if (x < -1) return kNaN;
  if (x == -1) return -kInfinity;
  if (std::abs(x) < 0x1p-19) return x + x * (x * (x * (1.0 / 3) - 0.5));
  const double sum = 1 + x;
  const double part = sum - 1;
  return LogOfSum(sum, (1 - (sum - part)) + (x - part));
}

// y log x has the relative error of the logarithm, 2^-67, and is at most 746: together 2^-57.4 of
// the result, on top of Exp's error.
double Pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (std::isnan(x) || std::isnan(y) || x < 0) return kNaN;
  if (x == 0) return y > 0 ? 0 : kInfinity;
  if (x == kInfinity) return y > 0 ? kInfinity : 0;
  const DoubleDouble log = x < kLeastNormal ? LogInTwo(x * kLift, kLifted) : LogInTwo(x);
  const double product = y * log.high;
  if (!(std::abs(product) < 800)) return product > 0 ? kInfinity : 0;
  if (std::abs(product) < 0x1p-60) return 1;
  const DoubleDouble exact = Product(y, log.high);
  const double rest = exact.low + y * log.low;
  if (std::abs(exact.high) < kExpRange) return ExpInRange(exact.high, rest);
  return ExpOutOfRange(exact.high, rest);
}

// turns = q/4 + r with |r| <= 1/8, exactly. 2 pi r is the sum of two doubles: the product of the
// upper 26 bits of r with 26 bits of 2 pi is exact. The polynomials are wrong by 2^-62. The cosine
// is at least 0.7 and the square that is taken from 1 at most 0.3, which rounds by a quarter of a
// unit.
Angle SinCosOfTurns(double turns) {
  if (!(std::abs(turns) < 0x1p40)) turns = std::fmod(turns, 1);
  constexpr double kRound = 0x1.8p52;
  constexpr double kHigh = 0x1.921fb5p+2;  // 2 pi
  constexpr double kLow = 0x1.110b4611a6263p-24;
  const double sum = turns * 4 + kRound;
  const auto quarter = std::bit_cast<std::uint64_t>(sum) % 4;
  const double r = turns - (sum - kRound) / 4;
  const double t = r * r;
  const double upper =
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(r) & ~((std::uint64_t{1} << 27) - 1));
  double p = -0x1.6cc577dadd922p-1;
  p = p * t + 0x1.e8f036bcd3237p+1;
  p = p * t - 0x1.e3074d2614b2dp+3;
  p = p * t + 0x1.50783486facaap+5;
  p = p * t - 0x1.32d2cce62b872p+6;
  p = p * t + 0x1.466bc6775aae1p+6;
  p = p * t - 0x1.4abbce625be53p+5;
  const double sin = upper * kHigh + (((r - upper) * kHigh + r * kLow) + r * t * p);
  p = -0x1.b2f3eb054afcdp+0;
  p = p * t + 0x1.f9ce245cada0bp+2;
  p = p * t - 0x1.a6d1eef479be1p+4;
  p = p * t + 0x1.e1f5068688d5bp+5;
  p = p * t - 0x1.55d3c7e3cb241p+6;
  p = p * t + 0x1.03c1f081b5acp+6;
  p = p * t - 0x1.3bd3cc9be45dep+4;
  const double cos = 1 + t * p;
  switch (quarter) {
    case 0: return {sin, cos};
    case 1: return {cos, -sin};
    case 2: return {-sin, -cos};
    default: return {-cos, sin};
  }
}

}  // namespace lethe::elementary
