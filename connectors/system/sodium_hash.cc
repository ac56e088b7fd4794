#include "connectors/system/sodium_hash.h"

#include <array>
#include <cstdint>
#include <tuple>

#include <sodium.h>

#include "connectors/system/sip_hash.h"
#include "connectors/system/sodium.h"
#include "engine/base/check.h"

namespace lethe {

namespace {

static_assert(std::tuple_size_v<Digest> == crypto_hash_sha256_BYTES);
static_assert(std::tuple_size_v<HashKey> == crypto_shorthash_siphashx24_KEYBYTES);

const std::uint8_t* Bytes(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

std::uint64_t LoadLittleEndian(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

}  // namespace

SodiumHasher::SodiumHasher() { PrepareSodium(); }

Digest SodiumHasher::Sha256(std::string_view bytes) const {
  Digest digest;
  LETHE_CHECK(crypto_hash_sha256(digest.data(), Bytes(bytes), bytes.size()) == 0);
  return digest;
}

KeyHash SodiumHasher::Keyed(const HashKey& key, std::string_view bytes) const {
  std::array<std::uint8_t, crypto_shorthash_siphashx24_BYTES> hash;
  LETHE_CHECK(crypto_shorthash_siphashx24(hash.data(), Bytes(bytes), bytes.size(), key.data()) ==
              0);
  return KeyHash{.low = LoadLittleEndian(hash.data()), .high = LoadLittleEndian(hash.data() + 8)};
}

std::uint64_t SodiumHasher::KeyedLow(const HashKey& key, char tag, std::string_view text) const {
  return SipHashLow(key, tag, text);
}

}  // namespace lethe
