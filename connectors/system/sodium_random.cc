#include "connectors/system/sodium_random.h"

#include <array>
#include <cstddef>
#include <string_view>

#include <sodium.h>

#include "connectors/system/sodium.h"
#include "engine/base/check.h"

namespace lethe {

namespace {

constexpr std::string_view kDomain = "lethe.seeded-random/1";
constexpr std::size_t kMessageBytes = 8 + 1 + 8 + 8;

static_assert(kDomain.size() >= crypto_generichash_KEYBYTES_MIN);
static_assert(kDomain.size() <= crypto_generichash_KEYBYTES_MAX);

using ChaChaKey = std::array<std::uint8_t, crypto_stream_chacha20_KEYBYTES>;

void StoreLittleEndian(std::uint64_t value, std::uint8_t* bytes) {
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

ChaChaKey DeriveKey(std::uint64_t seed, const Stream& stream) {
  std::array<std::uint8_t, kMessageBytes> message;
  StoreLittleEndian(seed, message.data());
  message[8] = static_cast<std::uint8_t>(stream.purpose);
  StoreLittleEndian(static_cast<std::uint64_t>(stream.shard.value), message.data() + 9);
  StoreLittleEndian(stream.number, message.data() + 17);
  ChaChaKey key;
  LETHE_CHECK(crypto_generichash(key.data(), key.size(), message.data(), message.size(),
                                 reinterpret_cast<const std::uint8_t*>(kDomain.data()),
                                 kDomain.size()) == 0);
  return key;
}

}  // namespace

SystemRandom::SystemRandom() { PrepareSodium(); }

void SystemRandom::Fill(const Stream& /*stream*/, std::span<std::uint8_t> bytes) {
  if (!bytes.empty()) randombytes_buf(bytes.data(), bytes.size());
}

SeededRandom::SeededRandom(std::uint64_t seed) : seed_(seed) { PrepareSodium(); }

void SeededRandom::Fill(const Stream& stream, std::span<std::uint8_t> bytes) {
  if (bytes.empty()) return;  // its pointer may be null, which libsodium does not accept
  constexpr std::array<std::uint8_t, crypto_stream_chacha20_NONCEBYTES> kNonce = {};
  const ChaChaKey key = DeriveKey(seed_, stream);
  LETHE_CHECK(crypto_stream_chacha20(bytes.data(), bytes.size(), kNonce.data(), key.data()) == 0);
}

std::unique_ptr<RandomSource> MakeRandom(const NoiseSpec& noise) {
  if (noise.source == NoiseKind::kSeeded) return std::make_unique<SeededRandom>(noise.seed);
  return std::make_unique<SystemRandom>();
}

}  // namespace lethe
