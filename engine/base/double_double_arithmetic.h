#pragma once

#include <bit>
#include <cstdint>

#include "engine/base/double_double.h"

namespace lethe {

// Arithmetic with double-double numbers. A result is wrong by at most 2^-100 of itself; a sum, by
// that much of the sum of absolute values. All functions are thread-safe.

// a + b, for |a| >= |b|, as a sum of two doubles that do not overlap.
inline DoubleDouble Normalised(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// a b exactly, unless a part of it underflows (Dekker). The upper 26 bits of each factor multiply
// exactly with each other and with the rest.
inline DoubleDouble Product(double a, double b) {
  const auto upper = [](double x) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & (~std::uint64_t{0} << 27));
  };
  const double a1 = upper(a), a2 = a - a1, b1 = upper(b), b2 = b - b1;
  const double product = a * b;
  return {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

inline DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }

inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble sum = DoubleDouble{a.high} + b.high;
  return Normalised(sum.high, sum.low + (a.low + b.low));
}

inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }

inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble product = Product(a.high, b.high);
  return Normalised(product.high, product.low + (a.high * b.low + a.low * b.high));
}

inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a - b * DoubleDouble{first};
  const double second = rest.high / b.high;
  const DoubleDouble left = rest - b * DoubleDouble{second};
  return Normalised(first, second) + left.high / b.high;
}

}  // namespace lethe
