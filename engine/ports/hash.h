#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/base/types.h"

namespace lethe {

using HashKey = std::array<std::uint8_t, 16>;

// The hash functions of the engine: SHA-256 for documents, a keyed hash for ids and subjects.
// Several threads share one hasher, so an implementation must be thread-safe. No call can fail.
class Hasher {
 public:
  virtual ~Hasher() = default;
  virtual Digest Sha256(std::string_view bytes) const = 0;

  // A pseudo-random function of `bytes` under a secret key. Documented in docs/formats.
  virtual KeyHash Keyed(const HashKey& key, std::string_view bytes) const = 0;
  // Keyed(key, tag + text).low, without the copy that the concatenation would make.
  virtual std::uint64_t KeyedLow(const HashKey& key, char tag, std::string_view text) const = 0;
};

}  // namespace lethe
