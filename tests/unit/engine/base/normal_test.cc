// The normal distribution against values computed with 400 bits, and against the C library.

#include "engine/base/normal.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "engine/base/double_double_arithmetic.h"
#include "tests/support/proof_random.h"

namespace lethe::normal_test {
namespace {

using Real = long double;

TEST(NormalTest, MillsRatioIsPreciseBeyondADouble) {
  struct Known {
    double x;
    DoubleDouble ratio;  // by mpmath
  };
  constexpr Known kKnown[] = {
      {-8.0, {0x1.6808b4b1bd4a6p+47, -0x1.ea35202b79fd7p-8}},
      {-5.5, {0x1.1b5d138986ae4p+23, 0x1.471c06820b214p-31}},
      {-2.0, {0x1.219a9d580c922p+4, 0x1.90645e2ef918fp-50}},
      {-0.1, {0x1.5c24661763800p+0, -0x1.c703e8f990da4p-55}},
      {0.0, {0x1.40d931ff62706p+0, -0x1.a6a0d6f814637p-54}},
      {0.1, {0x1.28c56badd84f0p+0, -0x1.1625e9a2693c9p-56}},
      {1.0, {0x1.4fb53a9eb0a1cp-1, 0x1.f3a27ff1fa5b6p-56}},
      {2.0, {0x1.af7b6a4d54e8dp-2, -0x1.1d868ca5c856ap-57}},
      {2.9375, {0x1.3d832cf0cd164p-2, 0x1.76b21ae52dc41p-57}},
      {3.0, {0x1.37e684ee8e185p-2, 0x1.59d67caa83d55p-58}},
      {3.0625, {0x1.3278e0f8beda6p-2, -0x1.83c3a92e9e536p-57}},
      {4.0, {0x1.e4aa012912ddep-3, 0x1.538abcb9214a8p-58}},
      {6.0, {0x1.4c8ca8b939648p-3, 0x1.ee69cf55c268cp-57}},
      {10.0, {0x1.959f0273701b2p-4, -0x1.d9321b5f64b3cp-58}},
      {37.0, {0x1.ba7cf19734630p-6, 0x1.29b61bfae058ep-64}},
      {1000.0, {0x1.0624cc0112184p-10, 0x1.dcaa15b6f91a7p-64}},
  };
  for (const auto& [x, ratio] : kKnown) {
    const DoubleDouble difference = MillsRatio({x}) - ratio;
    EXPECT_LE(std::abs(difference.high), 0x1p-84 * ratio.high) << x;
  }
}

TEST(NormalTest, MillsRatioAgreesWithTheComplementOfTheErrorFunction) {
  proof::Dice dice(1);
  for (int i = 0; i < 20'000; ++i) {
    const double x = -8 + 40 * dice.Uniform();
    const Real exact = std::erfc(x / std::numbers::sqrt2_v<Real>) / 2 *
                       std::sqrt(2 * std::numbers::pi_v<Real>) * std::exp(Real{x} * x / 2);
    ASSERT_NEAR(MillsRatio({x}).high, static_cast<double>(exact),
                1e-15 * static_cast<double>(exact));
  }
}

TEST(NormalTest, DensityAndProbabilityAreWithinTheirErrors) {
  proof::Dice dice(2);
  for (int i = 0; i < 200'000; ++i) {
    const double x = i % 2 == 0 ? 9 * dice.Uniform() : dice.LogUniform(1e-300, 1);
    const Real within = std::erf(x / std::numbers::sqrt2_v<Real>);
    ASSERT_LE(std::fabs(NormalWithin(x) - within), 0x1p-50 * within) << x;
    const double y = 74 * dice.Uniform() - 37;
    const Real density = std::exp(-Real{y} * y / 2) / std::sqrt(2 * std::numbers::pi_v<Real>);
    ASSERT_LE(std::fabs(NormalDensity({y}) - density), 0x1p-51 * density) << y;
  }
  EXPECT_EQ(NormalWithin(0), 0);
  EXPECT_EQ(NormalWithin(50), 1);
  EXPECT_EQ(NormalDensity({1e200}), 0);
}

}  // namespace
}  // namespace lethe::normal_test
