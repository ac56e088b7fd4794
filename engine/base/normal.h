#pragma once

#include "engine/base/double_double.h"

namespace lethe {

// The standard normal distribution, with the same bits on every machine (elementary.h). All
// functions are thread-safe.

// The density at x, within 2^-51 of itself, or 2^-1074 where that is more.
double NormalDensity(const DoubleDouble& x);

// Mills' ratio: the probability of more than x over the density at x, within 2^-84 of itself.
// Requires x >= kLeastMills.
DoubleDouble MillsRatio(const DoubleDouble& x);
inline constexpr double kLeastMills = -8;

// The probability of less than x >= 0 in absolute value, erf(x / sqrt 2), within 2^-50 of itself.
double NormalWithin(double x);

}  // namespace lethe
