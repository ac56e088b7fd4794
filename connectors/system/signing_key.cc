#include "connectors/system/signing_key.h"

#include <algorithm>

#include <sodium.h>

#include "connectors/json/base64.h"
#include "connectors/system/sodium.h"
#include "connectors/system/sodium_hash.h"
#include "engine/base/check.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

static_assert(sizeof(PublicKey::bytes) == crypto_sign_PUBLICKEYBYTES);
static_assert(sizeof(SigningKey::Seed) == crypto_sign_SEEDBYTES);

const std::uint8_t* Bytes(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

std::string PublicKey::ToText() const {
  return ToBase64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::optional<PublicKey> PublicKey::FromText(std::string_view text) {
  PublicKey key;
  std::string raw;
  if (!FromBase64(text, raw) || raw.size() != key.bytes.size()) return std::nullopt;
  std::copy(raw.begin(), raw.end(), key.bytes.begin());
  return key;
}

std::string PublicKey::Id() const {
  const Digest digest =
      SodiumHasher().Sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return ToHex(digest.data(), digest.size());
}

bool PublicKey::Verifies(std::string_view message, std::string_view signature) const {
  PrepareSodium();
  return signature.size() == crypto_sign_BYTES &&
         crypto_sign_verify_detached(Bytes(signature), Bytes(message), message.size(),
                                     bytes.data()) == 0;
}

SigningKey SigningKey::Generate() {
  PrepareSodium();
  Seed seed;
  randombytes_buf(seed.data(), seed.size());
  SigningKey key(seed);
  sodium_memzero(seed.data(), seed.size());
  return key;
}

SigningKey::SigningKey(const Seed& seed) : seed_(seed) {
  static_assert(sizeof(secret_) == crypto_sign_SECRETKEYBYTES);
  PrepareSodium();
  LETHE_CHECK(crypto_sign_seed_keypair(public_key_.bytes.data(), secret_.data(), seed_.data()) ==
              0);
}

SigningKey::~SigningKey() {
  sodium_memzero(seed_.data(), seed_.size());
  sodium_memzero(secret_.data(), secret_.size());
}

std::string SigningKey::Sign(std::string_view message) const {
  std::string signature(crypto_sign_BYTES, '\0');
  LETHE_CHECK(crypto_sign_detached(reinterpret_cast<std::uint8_t*>(signature.data()), nullptr,
                                   Bytes(message), message.size(), secret_.data()) == 0);
  return signature;
}

}  // namespace lethe
