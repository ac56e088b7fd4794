#pragma once

#include <cstdint>
#include <span>

#include "engine/base/types.h"

namespace lethe {

// What random bytes are for. With a seeded source the bytes are a function of
// (seed, purpose, shard, number) alone, so that a replay draws the same however it is cut up.
struct Stream {
  enum class Purpose : std::uint8_t { kNoise = 1, kUuid = 2, kKey = 3, kStateId = 4, kSample = 5 };
  Purpose purpose;
  ShardId shard;
  std::uint64_t number;
};

// A source of random bytes. The one for production is cryptographic and ignores the stream.
class RandomSource {
 public:
  virtual ~RandomSource() = default;

  // Fills all of `bytes`. Two calls for one stream need not go on where the first ended.
  virtual void Fill(const Stream& stream, std::span<std::uint8_t> bytes) = 0;
};

}  // namespace lethe
