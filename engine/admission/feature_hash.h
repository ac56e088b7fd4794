#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/ports/example.h"

namespace lethe {

// Named features in 2^bits places. The function is part of the model's format and never changes:
// docs/formats/hashing.md has it byte by byte, with vectors. It is not keyed, so whoever chooses
// names can make them collide; that costs accuracy and no guarantee, because the norm bound is
// enforced on what comes out.

// The name that model.json gives this function.
inline constexpr char kFeatureHashName[] = "fnv1a64-splitmix64";

inline constexpr std::int64_t kMaxHashBits = 24;

// Features in one event. How many there are is data, so what rounding may do is bounded for this
// many (engine/learning/sparse_model.h).
inline constexpr std::size_t kMaxFeatures = 4096;

struct HashedFeature {
  std::uint32_t index;  // below 2^bits
  double sign;          // +1 or -1
};

// 1 <= bits <= kMaxHashBits.
HashedFeature HashFeature(std::string_view name, std::int64_t bits);

// Fills example.x and example.at with the sum of sign times value at each index, in increasing
// order; what collides is added in the order of the event, and sums of zero are left out. With
// `bias`, a feature 1 at index 2^bits follows. At most kMaxFeatures features; a sum may overflow.
void HashFeatures(const std::vector<std::pair<std::string, double>>& named, std::int64_t bits,
                  bool bias, Example& example);

}  // namespace lethe
