#pragma once

#include <cstdint>
#include <limits>

namespace lethe {

// The largest partition, offset and time that a record may state, in every form of a recording.

inline constexpr std::int64_t kMaxPartition = std::numeric_limits<std::int32_t>::max();
// One below the maximum, because the offset after the record must be representable too.
inline constexpr std::int64_t kMaxOffset = std::numeric_limits<std::int64_t>::max() - 1;
// The largest integer that every JSON parser keeps exactly. It leaves room to add a duration.
inline constexpr std::int64_t kMaxTimeMs = (std::int64_t{1} << 53) - 1;

}  // namespace lethe
