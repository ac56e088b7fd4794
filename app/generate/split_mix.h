#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace lethe {

// SplitMix64 (Steele, Lea, Flood 2014): small, fast and the same on every machine. For synthetic
// data only; noise never comes from here.
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

  // Below `limit`, which is small against 2^64.
  std::int64_t Below(std::int64_t limit) {
    return static_cast<std::int64_t>(Next() % static_cast<std::uint64_t>(limit));
  }

  double Normal() {
    const double a = 1 - Uniform();
    return std::sqrt(-2 * std::log(a)) * std::cos(2 * std::numbers::pi * Uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace lethe
