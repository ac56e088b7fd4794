#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/ports/random.h"
#include "engine/spec/spec.h"

namespace lethe {

// The randomness of the operating system: unpredictable, and the only one that certifies. Ignores
// the stream. Thread-safe.
class SystemRandom final : public RandomSource {
 public:
  SystemRandom();
  void Fill(const Stream& stream, std::span<std::uint8_t> bytes) override;
};

// Bytes that are a function of the seed and the stream, for replays that must be repeatable. Each
// call begins the stream anew, so that a longer request begins with the shorter one's bytes.
// Thread-safe.
//
//   key    BLAKE2b, 32 bytes, keyed with the 21 ASCII bytes "lethe.seeded-random/1", of 25 bytes:
//          the seed (8 bytes), the purpose (1), the shard (8), the number (8), all little-endian
//   bytes  the ChaCha20 key stream of that key, with an 8-byte nonce of zeros, from block 0
class SeededRandom final : public RandomSource {
 public:
  explicit SeededRandom(std::uint64_t seed);
  void Fill(const Stream& stream, std::span<std::uint8_t> bytes) override;

 private:
  const std::uint64_t seed_;
};

// The source that a configuration asks for.
std::unique_ptr<RandomSource> MakeRandom(const NoiseSpec& noise);

}  // namespace lethe
