#pragma once

#include <cstdint>
#include <span>

#include "engine/base/types.h"

namespace lethe {

// The purpose of some random bytes. With a seeded source the bytes are a function of (seed,
// purpose, shard, number) alone, so a replay draws the same bytes however it is divided into
// batches.
struct Stream {
  enum class Purpose : std::uint8_t { kNoise = 1, kUuid = 2, kKey = 3, kStateId = 4, kSample = 5 };
  Purpose purpose;
  ShardId shard;
  std::uint64_t number;
};

// A source of random bytes. The production source is cryptographic and ignores the stream. Shards
// in several threads share one source, so an implementation must be thread-safe. There is no error:
// a source that cannot deliver must end the process.
class RandomSource {
 public:
  virtual ~RandomSource() = default;

  // Fills all of `bytes`. A second call for the same stream may return the same bytes again, so a
  // caller uses each stream once.
  virtual void Fill(const Stream& stream, std::span<std::uint8_t> bytes) = 0;
};

}  // namespace lethe
