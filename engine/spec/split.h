#pragma once

#include <cstdint>

#include "engine/spec/spec.h"

namespace lethe {

// The exponent omega of OLU's budget split.
inline constexpr double kZetaExponent = 1.2;

// The share of rho that deletion i = 1, 2, ... may spend when the budget is split up front:
// zeta: rho i^-omega / zeta(omega); horizon: rho / deletions. (The curve needs no split.)
double SplitShare(Split split, double rho, std::int64_t i, std::int64_t horizon_deletions);

}  // namespace lethe
