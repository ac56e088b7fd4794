#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <span>

#include "engine/ports/random.h"

namespace lethe::proof {

// SplitMix64's output function: a good mixer of 64 bits (Steele, Lea, Flood 2014).
inline std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// A RandomSource whose bytes are a function of (seed, stream): every proof test is repeatable.
class KeyedRandom final : public RandomSource {
 public:
  explicit KeyedRandom(std::uint64_t seed) : seed_(Mix(seed)) {}

  void Fill(const Stream& stream, std::span<std::uint8_t> bytes) override {
    std::uint64_t state = Mix(seed_ ^ Mix(stream.number));
    state ^= static_cast<std::uint64_t>(stream.purpose);
    for (std::size_t at = 0; at < bytes.size(); at += sizeof state) {
      state = Mix(state);
      std::memcpy(bytes.data() + at, &state, std::min(sizeof state, bytes.size() - at));
    }
  }

 private:
  std::uint64_t seed_;
};

// Chooses scenarios. Not std::..._distribution: those differ between standard libraries.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(Mix(seed)) {}

  double Uniform() { return (static_cast<double>(Next() >> 11) + 0.5) * 0x1p-53; }
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }
  double LogUniform(double low, double high) { return low * std::pow(high / low, Uniform()); }
  // One of 0, ..., n - 1.
  std::int64_t Below(std::int64_t n) {
    return static_cast<std::int64_t>(Next() % static_cast<std::uint64_t>(n));
  }
  bool Chance(double p) { return Uniform() < p; }
  double Normal() {
    const double length = std::sqrt(-2 * std::log(Uniform()));  // first: the order must be fixed
    return length * std::cos(2 * std::numbers::pi * Uniform());
  }
  // A vector of this length in a uniform direction.
  Vector Direction(Eigen::Index dimension, double length) {
    Vector x(dimension);
    for (double& value : x) value = Normal();
    return x * (length / x.norm());
  }

 private:
  std::uint64_t Next() { return state_ = Mix(state_); }

  std::uint64_t state_;
};

}  // namespace lethe::proof
