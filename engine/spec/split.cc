#include "engine/spec/split.h"

#include <cfloat>
#include <cmath>

#include "engine/base/check.h"

namespace lethe {

double SplitShare(Split split, double rho, std::int64_t i, std::int64_t horizon_deletions) {
  LETHE_CHECK(i >= 1);
  constexpr double kDown = 1 - 8 * DBL_EPSILON;
  switch (split) {
    case Split::kZeta:
      return rho * std::pow(static_cast<double>(i), -kZetaExponent) /
             std::riemann_zeta(kZetaExponent) * kDown;
    case Split::kHorizon: return rho / static_cast<double>(horizon_deletions) * kDown;
    case Split::kCurve: break;
  }
  LETHE_CHECK(false);
}

}  // namespace lethe
