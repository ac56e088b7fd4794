#include "engine/spec/split.h"

#include <cfloat>

#include "engine/base/check.h"
#include "engine/base/elementary.h"

namespace lethe {

double SplitShare(Split split, double rho, std::int64_t i, std::int64_t horizon_deletions) {
  LETHE_CHECK(i >= 1);
  constexpr double kZeta = 0x1.65dc7c996fc33p+2;  // the sum of i^-omega over all i
  static_assert(kZetaExponent == 1.2);
  constexpr double kDown = 1 - 8 * DBL_EPSILON;
  switch (split) {
    case Split::kZeta:
      return rho * elementary::Pow(static_cast<double>(i), -kZetaExponent) / kZeta * kDown;
    case Split::kHorizon: return rho / static_cast<double>(horizon_deletions) * kDown;
    case Split::kCurve: break;
  }
  LETHE_CHECK(false);
}

}  // namespace lethe
