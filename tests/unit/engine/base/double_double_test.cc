// Sums of millions of terms keep the digits that their differences need.

#include "engine/base/double_double.h"

#include <cfloat>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/proof_random.h"

namespace lethe::double_double_test {
namespace {

TEST(DoubleDoubleTest, SmallTermsAreNotSwallowedByLargeSums) {
  DoubleDouble sum = DoubleDouble() + 1e16;
  for (int i = 0; i < 1000; ++i) sum = sum + 1e-3;
  EXPECT_NEAR(sum.Minus({1e16, 0}), 1, 1e-14);
}

TEST(DoubleDoubleTest, AdditionIsExactWhenTheExactSumFits) {
  const DoubleDouble sum = DoubleDouble() + 1.0 + 0x1p-80;
  EXPECT_EQ(sum.high, 1);
  EXPECT_EQ(sum.low, 0x1p-80);
  EXPECT_EQ(sum + -1.0, (DoubleDouble{0x1p-80, 0}));
}

TEST(DoubleDoubleTest, DifferencesOfLongSumsAreExactToTheLastDigits) {
  proof::Dice dice(5);
  DoubleDouble sum;
  for (int i = 0; i < 3'000'000; ++i) sum = sum + -dice.LogUniform(1e-9, 1);
  const DoubleDouble before = sum;
  // Terms with few bits, so that the expected difference is exact.
  double expected = 0;
  for (int i = 0; i < 1000; ++i) {
    const double term = -std::ldexp(static_cast<double>(1 + dice.Below(1 << 20)), -50);
    sum = sum + term;
    expected += term;
  }
  EXPECT_NEAR(sum.Minus(before), expected, 4 * DBL_EPSILON * std::abs(expected));
}

TEST(DoubleDoubleTest, PartsDoNotOverlap) {
  proof::Dice dice(6);
  DoubleDouble sum;
  for (int i = 0; i < 10'000; ++i) {
    sum = sum + dice.Normal() * dice.LogUniform(1e-20, 1e20);
    ASSERT_EQ(sum.high + sum.low, sum.high);
  }
}

TEST(DoubleDoubleTest, MinusItselfIsZero) {
  const DoubleDouble sum = DoubleDouble() + 0.1 + 1e-20;
  EXPECT_EQ(sum.Minus(sum), 0);
  EXPECT_EQ(sum, sum);
}

}  // namespace
}  // namespace lethe::double_double_test
