#pragma once

#include <cstdint>

#include "engine/spec/spec.h"

namespace lethe {

// The exponent omega of OLU's budget split.
inline constexpr double kZetaExponent = 1.2;

// The share of rho that draw i = 1, 2, ... may spend if the budget is split in advance. zeta: rho
// i^-omega / zeta(omega); horizon: rho / deletions. Rounded down. Split::kCurve has no shares, and
// asking for one ends the process.
double SplitShare(Split split, double rho, std::int64_t i, std::int64_t horizon_deletions);

}  // namespace lethe
