#pragma once

#include <cmath>
#include <cstdint>

#include "engine/base/elementary.h"

namespace lethe {

// A pseudo-random generator, SplitMix64 (Steele, Lea, Flood 2014): small, fast and the same on
// every machine. It is not secure: it is for synthetic data and public choices, never for noise.
// Not thread-safe.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  // In [0, 1).
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  // A number in [0, limit). `limit` must be small against 2^64, because the modulo is biased.
  std::int64_t Below(std::int64_t limit) {
    return static_cast<std::int64_t>(Next() % static_cast<std::uint64_t>(limit));
  }

  // A standard normal number, by the method of Box and Muller.
  double Normal() {
    const double a = 1 - Uniform();
    return std::sqrt(-2 * elementary::Log(a)) * elementary::SinCosOfTurns(Uniform()).cos;
  }

 private:
  std::uint64_t state_;
};

}  // namespace lethe
