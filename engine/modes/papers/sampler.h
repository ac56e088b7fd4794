#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/ports/random.h"

namespace lethe {

// Uniform random integers from a random source. One object serves one update: its unused bytes are
// discarded, so that the number of streams used is the only state to save. Not thread-safe. It
// borrows the source and the counter `streams`, which it advances.
class Sampler {
 public:
  Sampler(RandomSource& random, ShardId shard, std::uint64_t& streams)
      : random_(random), shard_(shard), streams_(streams) {}

  // One of 0, ..., n - 1, without bias.
  std::int64_t Below(std::int64_t n) {
    const auto range = static_cast<std::uint64_t>(n);
    // 2^64 mod n: values below this are rejected, since they would make small results more likely.
    const std::uint64_t uneven = (0 - range) % range;
    for (;;) {
      const std::uint64_t bits = Next();
      if (bits >= uneven) return static_cast<std::int64_t>(bits % range);
    }
  }

 private:
  std::uint64_t Next() {
    if (at_ == bytes_.size()) {
      random_.Fill({Stream::Purpose::kSample, shard_, streams_++}, bytes_);
      at_ = 0;
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &bytes_[at_], sizeof bits);
    at_ += sizeof bits;
    return bits;
  }

  RandomSource& random_;
  ShardId shard_;
  std::uint64_t& streams_;
  std::array<std::uint8_t, 1024> bytes_;
  std::size_t at_ = bytes_.size();
};

}  // namespace lethe
