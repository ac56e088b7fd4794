#pragma once

#include <cstdint>
#include <string_view>

#include "engine/ports/hash.h"

namespace lethe {

// The first eight bytes, little-endian, of SipHash-2-4 with 128 bits of output, of `tag` and then
// `text`: what libsodium's crypto_shorthash_siphashx24 says, in a quarter of the time for a name of
// some bytes, because it copies nothing and leaves the other half out.
std::uint64_t SipHashLow(const HashKey& key, char tag, std::string_view text);

}  // namespace lethe
