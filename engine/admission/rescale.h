#pragma once

#include <cfloat>

#include "engine/base/types.h"

namespace lethe {

// Scales x, which is finite and not zero, to a computed norm of at most `bound`, and of nearly
// that. Scaling by the largest entry first keeps the squares finite. Rounding may leave the norm a
// little above the bound, so the factor is reduced until it is not. Returns false if 16 reductions
// were not enough; no such x is known.
inline bool RescaleTo(double bound, Eigen::Ref<Vector> x) {
  x /= x.cwiseAbs().maxCoeff();
  double factor = bound / x.norm();
  const Vector direction = x;
  for (int i = 0; i < 16; ++i) {
    x = direction * factor;
    if (x.norm() <= bound) return true;
    factor *= 1 - 2 * DBL_EPSILON;
  }
  return false;
}

}  // namespace lethe
