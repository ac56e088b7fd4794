#pragma once

#include <cstdint>
#include <numbers>

#include "engine/base/elementary.h"
#include "engine/spec/loss.h"

namespace lethe {

// The rounding error of a mean gradient over n events, without the error of the predictions.
//
// In units of u = 2^-53, to first order, relative to the sum of |slope||x| / n <= G, which bounds
// the norm of the vector of absolute values whatever the order of additions:
//
// * a slope is wrong by 16 of the largest one (Loss::Slopes), its product with x by 1;
// * a chunk is a sum of at most kMany terms, in whatever order Eigen takes them: kMany - 1;
// * there are at most n chunks: log2 n + 2 (PairwiseSum);
// * the quotient by n, and mu z and the sum with it: 3, relative to L.
//
// Together log2 n + kMany + 21, below what is returned. The error of <z,x>, d u r R times sup
// loss'' times R, is not in here: callers have d beta r for it.
inline double MeanRoundingDepth(std::int64_t n) {
  if (n == 0) return 0;
  return 2 * elementary::Log(static_cast<double>(n)) / std::numbers::ln2 + Loss::kMany + 36;
}

}  // namespace lethe
