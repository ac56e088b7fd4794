#include "connectors/system/sodium_hash.h"

#include <cstdint>
#include <tuple>

#include <sodium.h>

#include "connectors/system/sip_hash.h"
#include "connectors/system/sodium.h"
#include "engine/check.h"

namespace lethe {

namespace {

static_assert(std::tuple_size_v<Digest> == crypto_hash_sha256_BYTES);

const std::uint8_t* Bytes(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

SodiumHasher::SodiumHasher() { PrepareSodium(); }

Digest SodiumHasher::Sha256(std::string_view bytes) const {
  Digest digest;
  LETHE_CHECK(crypto_hash_sha256(digest.data(), Bytes(bytes), bytes.size()) == 0);
  return digest;
}

KeyHash SodiumHasher::Keyed(const HashKey& key, std::string_view bytes) const {
  return SipHash128(key, bytes);
}

}  // namespace lethe
