#pragma once

#include <cstdint>
#include <limits>

namespace lethe {

// The largest place that a record may give, in every form of a recorded stream.

inline constexpr std::int64_t kMaxPartition = std::numeric_limits<std::int32_t>::max();
// The offset behind it, to go on from, has to exist too.
inline constexpr std::int64_t kMaxOffset = std::numeric_limits<std::int64_t>::max() - 1;
// The largest that every JSON parser keeps exactly. Leaves room to add a duration.
inline constexpr std::int64_t kMaxTimeMs = (std::int64_t{1} << 53) - 1;

}  // namespace lethe
