#pragma once

#include <string_view>

#include "engine/ports/hash.h"

namespace lethe {

// The Hasher of the program: SHA-256, and SipHash-2-4 with 128 bits of output as the keyed hash.
// `low` is the first eight bytes of the output, `high` the last eight, both little-endian.
// Thread-safe and stateless; it cannot fail.
class SodiumHasher final : public Hasher {
 public:
  SodiumHasher();
  Digest Sha256(std::string_view bytes) const override;
  KeyHash Keyed(const HashKey& key, std::string_view bytes) const override;
  std::uint64_t KeyedLow(const HashKey& key, char tag, std::string_view text) const override;
};

}  // namespace lethe
