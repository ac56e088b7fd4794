#pragma once

#include <cstdint>
#include <string_view>

#include "engine/ports/hash.h"

namespace lethe {

// The first eight bytes, little-endian, of SipHash-2-4 with 128 bits of output, of `tag` and then
// `text`: what libsodium's crypto_shorthash_siphashx24 says. It copies nothing and leaves the other
// half out. Every event has two names, so this matters: with libsodium's function a replay with
// durable state takes 8% to 13% more processor time from JSON and 22% to 25% more from binary (1.2
// million events of 20 features; bench/versus.py repeats it).
std::uint64_t SipHashLow(const HashKey& key, char tag, std::string_view text);

}  // namespace lethe
