// The shares of a budget that is split up front.

#include "engine/spec/split.h"

#include <cmath>

#include <gtest/gtest.h>

namespace lethe::split_test {
namespace {

constexpr double kRho = 0.0280145;
constexpr long double kZeta = 5.591582441177750776L;  // zeta(1.2)

TEST(SplitDeathTest, ThereIsNoShareZeroAndNoneOfTheCurve) {
  EXPECT_DEATH(SplitShare(Split::kZeta, kRho, 0, 100), "internal error");
  EXPECT_DEATH(SplitShare(Split::kHorizon, kRho, -1, 100), "internal error");
  EXPECT_DEATH(SplitShare(Split::kCurve, kRho, 1, 100), "internal error");
}

TEST(SplitTest, ZetaSharesAreTheBudgetTimesAPowerOverZetaRoundedDown) {
  for (const std::int64_t i : {1, 2, 32, 1000, 1'000'000'000}) {
    const long double exact = kRho * std::pow(static_cast<long double>(i), -1.2L) / kZeta;
    EXPECT_LE(SplitShare(Split::kZeta, kRho, i, 0), exact) << i;
    EXPECT_GE(SplitShare(Split::kZeta, kRho, i, 0), exact * (1 - 1e-13L)) << i;
  }
}

TEST(SplitTest, ZetaSharesAddUpToTheBudget) {
  const std::int64_t count = 2000;
  long double sum = 0;
  for (std::int64_t i = 1; i <= count; ++i) sum += SplitShare(Split::kZeta, kRho, i, 0);
  // All that is still to come, by the midpoint rule.
  sum += SplitShare(Split::kZeta, kRho, 1, 0) * std::pow(count + 0.5L, -0.2L) / 0.2L;
  EXPECT_NEAR(static_cast<double>(sum), kRho, 1e-8 * kRho);
}

TEST(SplitTest, HorizonSharesAreEqualAndAddUpToTheBudget) {
  for (const std::int64_t k : {1, 3, 100, 1'000'000}) {
    const double share = SplitShare(Split::kHorizon, kRho, 1, k);
    EXPECT_EQ(share, SplitShare(Split::kHorizon, kRho, k, k));
    EXPECT_LE(static_cast<long double>(share) * k, kRho);
    EXPECT_NEAR(share * static_cast<double>(k), kRho, 1e-14);
  }
}

}  // namespace
}  // namespace lethe::split_test
