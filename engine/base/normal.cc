#include "engine/base/normal.h"

#include "engine/base/check.h"
#include "engine/base/double_double_arithmetic.h"
#include "engine/base/elementary.h"

namespace lethe {
namespace {

constexpr double kNear = 3;  // where the series ends and the fraction begins

// The probability between 0 and x, over the density at x: x + x^3/3 + x^5/(3 5) + ...; all terms
// have the same sign.
DoubleDouble CentralSeries(const DoubleDouble& x) {
  const DoubleDouble square = x * x;
  DoubleDouble term = x, sum = x;
  for (double n = 3; term.high * term.high > 0x1p-220 * sum.high * sum.high; n += 2) {
    term = term * square / DoubleDouble{n};
    sum = sum + term;
  }
  return sum;
}

// sqrt(pi/2) e^(x^2/2): half of the whole probability, over the density at x.
DoubleDouble Half(const DoubleDouble& x) {
  const DoubleDouble half_square = x * x * DoubleDouble{0.5};
  DoubleDouble term{1}, sum{1};
  for (double n = 1; term.high > 0x1p-110 * sum.high; ++n) {
    term = term * half_square / DoubleDouble{n};
    sum = sum + term;
  }
  return sum * DoubleDouble{0x1.40d931ff62706p+0, -0x1.a6a0d6f814637p-54};
}

// 1/(x + 1/(x + 2/(x + 3/(x + ...)))). Its error falls with the number n of quotients as e^(-1.7 x
// sqrt n): with these it is 2^-93 at x = 3, and less beyond.
DoubleDouble Fraction(const DoubleDouble& x) {
  constexpr int kQuotients = 160;
  DoubleDouble below = x;
  for (int n = kQuotients; n > 0; --n) below = x + DoubleDouble{static_cast<double>(n)} / below;
  return DoubleDouble{1} / below;
}

}  // namespace

double NormalDensity(const DoubleDouble& x) {
  constexpr double kAtZero = 0x1.9884533d43651p-2;
  if (!(x.high * x.high < 3000)) return 0;
  const DoubleDouble power = x * x * DoubleDouble{-0.5};
  // exp(a + b) = exp(a) (1 + b), and b is below 2^-42. The exponential, the sum and the product
  // round by 2^-53 each, and the constant by 2^-54.
  const double density = elementary::Exp(power.high);
  return (density + density * power.low) * kAtZero;
}

// Up to kNear the difference of the two series loses at most 10 of their 97 bits.
DoubleDouble MillsRatio(const DoubleDouble& x) {
  LETHE_CHECK(x.high >= kLeastMills);
  return x.high < kNear ? Half(x) - CentralSeries(x) : Fraction(x);
}

double NormalWithin(double x) {
  LETHE_CHECK(x >= 0);
  const DoubleDouble exact{x};
  if (x < kNear) return 2 * NormalDensity(exact) * CentralSeries(exact).high;
  return 1 - 2 * NormalDensity(exact) * Fraction(exact).high;
}

}  // namespace lethe
