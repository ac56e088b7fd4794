#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/ports/event.h"
#include "engine/ports/example.h"

namespace lethe {

// The hashing trick: maps named features to 2^bits weights. The function is part of the model's
// format and never changes: docs/formats/hashing.md has it byte by byte, with test vectors. It has
// no key, so an author of feature names can make them collide. Collisions cost accuracy and no
// guarantee, because the norm bound is enforced after hashing. All functions are thread-safe.

// The name of this function in model.json.
inline constexpr char kFeatureHashName[] = "fnv1a64-splitmix64";

inline constexpr std::int64_t kMaxHashBits = 24;

// The most features in one event. The number of features is private data, so the rounding bound is
// computed for this maximum (engine/learning/sparse_model.h).
inline constexpr std::size_t kMaxFeatures = 4096;

struct HashedFeature {
  std::uint32_t index;  // below 2^bits
  double sign;          // +1 or -1
};

// The weight index and the sign of one feature. Requires 1 <= bits <= kMaxHashBits.
HashedFeature HashFeature(std::string_view name, std::int64_t bits);

// Fills example.x and example.at with the sum of sign * value at each index, in increasing order of
// index. Features that collide are added in the order of the event, and sums of zero are left out.
// With `bias`, a feature 1 at index 2^bits follows. Requires at most kMaxFeatures features. A sum
// may overflow; the caller checks that it is finite.
void HashFeatures(const NamedValues& named, std::int64_t bits, bool bias, Example& example);

}  // namespace lethe
