// The law of the noise, with fixed seeds: these tests pass or fail, they do not flicker.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/system/sodium_random.h"
#include "engine/privacy/noise.h"

namespace lethe::noise_law_test {
namespace {

constexpr double kSigma = 0.7;
constexpr std::size_t kSamples = 1'000'000;

double Phi(double x) { return std::erfc(-x / std::sqrt(2)) / 2; }

// Noise in units of sigma, from models of three weights, so that half a pair is used too.
std::vector<double> Sample(std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<double> sample;
  sample.reserve(kSamples + 3);
  Vector z(3);
  for (std::uint64_t number = 0; sample.size() < kSamples; ++number) {
    z.setZero();
    AddGridNoise(z, kSigma, 1, random, {Stream::Purpose::kNoise, ShardId{0}, number});
    for (const double value : z) sample.push_back(value / kSigma);
  }
  return sample;
}

// |observed - expected| in standard deviations of a count.
double Surprise(double observed, double p, double n) {
  return std::abs(observed - n * p) / std::sqrt(n * p * (1 - p));
}

TEST(NoiseLawTest, MomentsAreThoseOfANormal) {
  const std::vector<double> sample = Sample(1);
  const auto n = static_cast<double>(sample.size());
  std::array<double, 5> moments{};
  for (const double x : sample) {
    for (int k = 1; k <= 4; ++k) moments[static_cast<std::size_t>(k)] += std::pow(x, k) / n;
  }
  const double unit = 4 / std::sqrt(n);
  EXPECT_NEAR(moments[1], 0, unit);
  EXPECT_NEAR(moments[2], 1, unit * std::sqrt(2));
  EXPECT_NEAR(moments[3], 0, unit * std::sqrt(15));
  EXPECT_NEAR(moments[4], 3, unit * std::sqrt(96));
}

TEST(NoiseLawTest, KolmogorovSmirnovFindsNoDifference) {
  std::vector<double> sample = Sample(2);
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double below = static_cast<double>(i) / n;
    distance = std::max({distance, Phi(sample[i]) - below, below + 1 / n - Phi(sample[i])});
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(n));  // exceeded once in a thousand
}

TEST(NoiseLawTest, TailsHaveTheirWeight) {
  const std::vector<double> sample = Sample(3);
  const auto n = static_cast<double>(sample.size());
  for (const double x : {2.0, 3.0, 4.0}) {
    const auto above = std::count_if(sample.begin(), sample.end(), [x](double s) { return s > x; });
    const auto below =
        std::count_if(sample.begin(), sample.end(), [x](double s) { return s < -x; });
    EXPECT_LT(Surprise(static_cast<double>(above), Phi(-x), n), 4) << x;
    EXPECT_LT(Surprise(static_cast<double>(below), Phi(-x), n), 4) << x;
  }
}

// Box-Muller makes two at a time: they, and neighbours of two draws, must not know each other.
TEST(NoiseLawTest, NeighboursAreIndependent) {
  const std::vector<double> sample = Sample(4);
  for (const std::size_t lag : {1, 2, 3}) {
    std::array<double, 16> cells{};
    double n = 0;
    for (std::size_t i = 0; i + lag < sample.size(); i += 3, ++n) {
      const auto cell = [&](double x) { return std::min<std::size_t>(3, std::size_t(4 * Phi(x))); };
      ++cells[4 * cell(sample[i]) + cell(sample[i + lag])];
    }
    double chi_square = 0;
    for (const double count : cells) chi_square += std::pow(count - n / 16, 2) / (n / 16);
    EXPECT_LT(chi_square, 37.7) << lag;  // 15 degrees of freedom, once in a thousand
  }
}

// The last bits of the grid are as random as the first: nothing of a model could hide there.
TEST(NoiseLawTest, LastBitsOfTheGridAreUniform) {
  const std::vector<double> sample = Sample(5);
  const double spacing = GridSpacing(kSigma, 1);
  std::array<double, 64> counts{};
  for (const double x : sample) {
    const auto steps = static_cast<std::int64_t>(std::llround(x * kSigma / spacing));
    ++counts[static_cast<std::size_t>(steps & 63)];
  }
  const double expected = static_cast<double>(sample.size()) / 64;
  double chi_square = 0;
  for (const double count : counts) chi_square += std::pow(count - expected, 2) / expected;
  EXPECT_LT(chi_square, 103.5);  // 63 degrees of freedom, once in a thousand
}

TEST(NoiseLawTest, StreamsAreDifferentAndASeedRepeats) {
  SeededRandom random(6), again(6);
  Vector a = Vector::Zero(4), b = a, c = a;
  AddGridNoise(a, 1, 1, random, {Stream::Purpose::kNoise, ShardId{0}, 1});
  AddGridNoise(b, 1, 1, again, {Stream::Purpose::kNoise, ShardId{0}, 1});
  AddGridNoise(c, 1, 1, random, {Stream::Purpose::kNoise, ShardId{1}, 1});
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

}  // namespace
}  // namespace lethe::noise_law_test
