#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/ports/random.h"
#include "engine/spec/spec.h"

namespace lethe {

// A RandomSource on the randomness of the operating system. It is unpredictable, and only with it
// is a deletion certified. Ignores the stream. Thread-safe; it cannot fail.
class SystemRandom final : public RandomSource {
 public:
  SystemRandom();
  void Fill(const Stream& stream, std::span<std::uint8_t> bytes) override;
};

// A RandomSource whose bytes are a function of the seed and the stream, for repeatable replays.
// Each call begins the stream anew, so a longer request begins with the bytes of a shorter one.
// Thread-safe; it cannot fail.
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

// The source that the configuration names: seeded, or else that of the operating system.
std::unique_ptr<RandomSource> MakeRandom(const NoiseSpec& noise);

}  // namespace lethe
