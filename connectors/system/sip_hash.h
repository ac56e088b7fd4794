#pragma once

#include <string_view>

#include "engine/ports/hash.h"

namespace lethe {

// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein 2012, and the reference code's wide
// form). Two names are hashed for every event, most of them shorter than 16 bytes; libsodium, which
// the tests compare it with, takes twice as long for those.
KeyHash SipHash128(const HashKey& key, std::string_view bytes);

}  // namespace lethe
