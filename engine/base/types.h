#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include <Eigen/Core>

namespace lethe {

// A dense model or feature vector.
using Vector = Eigen::VectorXd;

// An integer that cannot be mistaken for another kind of integer.
template <typename Tag>
struct StrongInt {
  std::int64_t value = 0;
  friend auto operator<=>(const StrongInt&, const StrongInt&) = default;
};

using ShardId = StrongInt<struct ShardIdTag>;        // a Kafka partition
using Offset = StrongInt<struct OffsetTag>;          // a record's place in its shard
using EventIndex = StrongInt<struct EventIndexTag>;  // 0, 1, ...: the number of a learn step
using ModelVersion = StrongInt<struct ModelVersionTag>;
using TimeMs = StrongInt<struct TimeMsTag>;  // milliseconds since 1970

// The absence of a time, such as the timestamp of a record without one.
inline constexpr TimeMs kNoTime{-1};

// The keyed hash of an id or a subject, complete or truncated (engine/admission/pseudonymizer.h).
struct KeyHash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend auto operator<=>(const KeyHash&, const KeyHash&) = default;
};

using Digest = std::array<std::uint8_t, 32>;  // SHA-256

}  // namespace lethe

template <>
struct std::hash<lethe::KeyHash> {
  std::size_t operator()(const lethe::KeyHash& hash) const noexcept { return hash.low; }
};
