// Losses summed up many at a time are those that one at a time gives.

#include "engine/spec/loss_sum.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/proof_random.h"

namespace lethe::loss_sum_test {
namespace {

using proof::Dice;

constexpr double kUnit = 0x1p-53;

struct Pair {
  double p, y;
};

std::vector<Pair> Pairs(int count, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<Pair> pairs;
  for (int i = 0; i < count; ++i) {
    pairs.push_back({(2 * dice.Uniform() - 1) * std::pow(10, 4 * dice.Uniform() - 2),
                     dice.Uniform() < 0.5 ? -1.0 : 1.0});
  }
  return pairs;
}

const Loss kLosses[] = {Loss(LossKind::kLogistic), Loss(LossKind::kSquared),
                        Loss(LossKind::kHuber, 0.5)};

TEST(LossSumTest, ManyAtOnceAreWithinTheirBoundOfOneAtATime) {
  const auto pairs = Pairs(64 * Loss::kMany, 1);
  for (const Loss& loss : kLosses) {
    for (std::size_t from = 0; from < pairs.size(); from += Loss::kMany) {
      Loss::Many p, y;
      for (int i = 0; i < Loss::kMany; ++i) {
        p[i] = pairs[from + static_cast<std::size_t>(i)].p;
        y[i] = pairs[from + static_cast<std::size_t>(i)].y;
      }
      Loss::Many values = p;
      loss.Values(y, values);
      for (int i = 0; i < Loss::kMany; ++i) {
        const double one = loss.Value(p[i], y[i]);
        ASSERT_NEAR(values[i], one, 18 * kUnit * (1 + one)) << p[i] << " " << y[i];
      }
    }
  }
}

TEST(LossSumTest, SmallAndExtremeLossesKeepTheirDigits) {
  const Loss loss(LossKind::kLogistic);
  Loss::Many y = Loss::Many::Ones();
  Loss::Many p = Loss::Many::Constant(40);  // e^-40 is lost in 1 + e^-40
  p[1] = -1e300;
  p[2] = 1e300;
  p[3] = 0;
  loss.Values(y, p);
  EXPECT_NEAR(p[0], std::exp(-40), 1e-15 * std::exp(-40));
  EXPECT_EQ(p[1], 1e300);
  EXPECT_LT(p[2], 1e-300);
  EXPECT_NEAR(p[3], std::log(2), 2 * kUnit);
}

TEST(LossSumTest, WhenItIsAskedChangesNoBit) {
  const auto pairs = Pairs(1000, 2);
  for (const Loss& loss : kLosses) {
    LossSum often(loss);
    LossSum once(loss);
    double expected = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      once.Add(pairs[i].p, pairs[i].y);
      often.Add(pairs[i].p, pairs[i].y);
      expected += loss.Value(pairs[i].p, pairs[i].y);
      ASSERT_NEAR(often.total(), expected, 1e-12 * expected) << i;
      ASSERT_EQ(often.count(), static_cast<std::int64_t>(i) + 1);
    }
    EXPECT_EQ(once.total(), often.total());
  }
}

TEST(LossSumTest, NothingIsLeftAfterClear) {
  LossSum sum(kLosses[0]);
  for (const Pair& pair : Pairs(100, 3)) sum.Add(pair.p, pair.y);
  sum.Clear();
  EXPECT_EQ(sum.total(), 0);
  EXPECT_EQ(sum.count(), 0);
  sum.Add(0.3, 1);
  EXPECT_NEAR(sum.total(), kLosses[0].Value(0.3, 1), 1e-15);
}

}  // namespace
}  // namespace lethe::loss_sum_test
