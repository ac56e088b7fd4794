// The grid on which noise is drawn, and the projection after it.

#include "engine/privacy/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/system/sodium_random.h"
#include "tests/support/proof_random.h"

namespace lethe::noise_test {
namespace {

using proof::Dice;

Stream Draw(std::uint64_t number) { return {Stream::Purpose::kNoise, ShardId{0}, number}; }

// The same byte again and again: the ends of what a source can give.
class StuckRandom final : public RandomSource {
 public:
  explicit StuckRandom(std::uint8_t byte) : byte_(byte) {}
  void Fill(const Stream&, std::span<std::uint8_t> bytes) override {
    std::fill(bytes.begin(), bytes.end(), byte_);
  }

 private:
  std::uint8_t byte_;
};

bool IsPowerOfTwo(double x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5;
}

TEST(NoiseDeathTest, SigmaThatIsNoStandardDeviationStopsTheProcess) {
  SeededRandom random(1);
  Vector z = Vector::Zero(2);
  for (const double sigma : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_DEATH(AddGridNoise(z, sigma, 1, random, Draw(0)), "internal error") << sigma;
  }
}

TEST(NoiseTest, SpacingIsTheSmallestPowerOfTwoThatIsLargeEnough) {
  Dice dice(14);
  for (int i = 0; i < 10'000; ++i) {
    const bool exact = dice.Chance(0.3);  // powers of two are their own answer
    const double sigma = exact ? std::ldexp(1.0, static_cast<int>(dice.Below(200)) - 100)
                               : dice.LogUniform(1e-30, 1e10);
    const double radius =
        exact ? std::ldexp(1.0, static_cast<int>(dice.Below(20)) - 10) : dice.LogUniform(1e-3, 1e6);
    const double spacing = GridSpacing(sigma, radius);
    const double least = std::max(sigma * 0x1p-26, radius * 0x1p-52);
    ASSERT_TRUE(IsPowerOfTwo(spacing));
    ASSERT_GE(spacing, least);
    ASSERT_LT(spacing / 2, least);
  }
}

TEST(NoiseTest, GridShiftCoversTheRoundingAndGrowsSlowerThanSigma) {
  Dice dice(15);
  for (int i = 0; i < 10'000; ++i) {
    const double sigma = dice.LogUniform(1e-20, 1e3), radius = dice.LogUniform(1e-2, 1e3);
    const std::int64_t d = 1 + dice.Below(1000);
    ASSERT_GE(GridShift(sigma, radius, d),
              std::sqrt(static_cast<long double>(d)) * GridSpacing(sigma, radius));
    ASSERT_LE(GridShift(sigma, radius, d), GridShift(1.5 * sigma, radius, d));
    ASSERT_LE(GridShift(1.5 * sigma, radius, d) / 1.5, GridShift(sigma, radius, d) * (1 + 1e-15));
  }
}

TEST(NoiseTest, EveryNoisedCoordinateIsAMultipleOfTheSpacing) {
  Dice dice(16);
  SeededRandom random(2);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const double sigma = dice.LogUniform(1e-18, 1e2), radius = dice.LogUniform(0.1, 100);
    const double spacing = GridSpacing(sigma, radius);
    Vector z = dice.Direction(1 + dice.Below(7), radius * dice.Uniform());
    const Vector before = z;
    AddGridNoise(z, sigma, radius, random, Draw(i));
    for (Eigen::Index k = 0; k < z.size(); ++k) {
      ASSERT_EQ(std::fmod(z[k], spacing), 0);
      ASSERT_LT(std::abs(z[k] - before[k]), 9.6 * sigma + 1.01 * spacing);
    }
  }
}

// In which of two worlds it was added must not show: the same draw moves both by the same amount.
TEST(NoiseTest, DrawIsIndependentOfTheModel) {
  Dice dice(17);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    SeededRandom random(3);
    Vector a = dice.Direction(5, dice.Uniform()), b = dice.Direction(5, 1e-9);
    const double spacing = GridSpacing(0.3, 1);
    const auto rounded = [&](const Vector& z) { return (z / spacing).array().round() * spacing; };
    const Vector expected = rounded(a) - rounded(b);
    AddGridNoise(a, 0.3, 1, random, Draw(i));
    AddGridNoise(b, 0.3, 1, random, Draw(i));
    ASSERT_EQ(a - b, expected);
  }
}

TEST(NoiseTest, EndsOfTheRandomSourceGiveFiniteNoise) {
  for (const int byte : {0x00, 0x80, 0xff}) {
    StuckRandom random(static_cast<std::uint8_t>(byte));
    Vector z = Vector::Zero(3);
    AddGridNoise(z, 1, 1, random, Draw(0));
    EXPECT_TRUE(z.allFinite()) << byte;
    EXPECT_LT(z.cwiseAbs().maxCoeff(), 10) << byte;
  }
}

TEST(NoiseTest, AllCoordinatesGetNoiseOfTheirOwn) {
  SeededRandom random(4);
  for (const Eigen::Index d : {1, 2, 3, 20, 101}) {
    Vector z = Vector::Zero(d);
    AddGridNoise(z, 1, 1, random, Draw(static_cast<std::uint64_t>(d)));
    const std::set<double> distinct(z.begin(), z.end());
    EXPECT_EQ(distinct.size(), static_cast<std::size_t>(d));
    EXPECT_FALSE(distinct.contains(0));
  }
}

long double ExactNorm(const Vector& z) { return z.cast<long double>().norm(); }

TEST(ProjectTest, WhatIsInsideStaysAsItIs) {
  Dice dice(18);
  for (int i = 0; i < 1000; ++i) {
    const double radius = dice.LogUniform(1e-3, 1e3);
    Vector z = dice.Direction(1 + dice.Below(30), radius * dice.Uniform() * (1 - 1e-12));
    const Vector before = z;
    Project(z, radius);
    ASSERT_EQ(z, before);
  }
}

TEST(ProjectTest, NothingEndsOutsideAndDirectionsAreKept) {
  Dice dice(19);
  for (int i = 0; i < 20'000; ++i) {
    const double radius = dice.LogUniform(1e-3, 1e3);
    Vector z = dice.Direction(1 + dice.Below(i % 100 == 0 ? 1000 : 12),
                              radius * (1 + dice.LogUniform(1e-13, 1e100)));
    const Vector before = z;
    Project(z, radius);
    ASSERT_LE(ExactNorm(z), radius) << i;
    ASSERT_GT(ExactNorm(z), radius * (1 - 1e-12));
    ASSERT_NEAR(z.dot(before) / (z.norm() * before.norm()), 1, 1e-12);
  }
}

// Closer to the sphere than the norm can be computed, that is what decides.
TEST(ProjectTest, OnTheSphereTheComputedNormDecides) {
  Dice dice(20);
  for (int i = 0; i < 20'000; ++i) {
    Vector z = dice.Direction(1 + dice.Below(12), 1);
    z *= 1 + dice.Uniform(-1, 1) * 1e-15;
    Project(z, 1);
    ASSERT_LE(z.squaredNorm(), 1) << i;
    ASSERT_LE(ExactNorm(z), 1 + 2e-15) << i;
  }
}

}  // namespace
}  // namespace lethe::noise_test
