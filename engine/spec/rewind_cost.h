#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/spec/dimension.h"

namespace lethe {

// The nanoseconds that a rewind takes for each position, as a constant of the configuration: about
// a fifth more than was measured (docs/performance.md). A measured time would depend on payloads,
// and from this constant follows when the next rewind may begin.
inline std::int64_t RewindNsPerPosition(const Spec& spec) {
  const std::int64_t outputs = std::max<std::int64_t>(1, spec.model.classes);
  return IsSparse(spec) ? 200 * outputs : 40 + FeatureDimension(spec) * outputs;
}

// The nanoseconds to copy a checkpoint with so many weights.
inline std::int64_t RewindNsToBegin(std::int64_t weights) { return 2 * weights; }

}  // namespace lethe
