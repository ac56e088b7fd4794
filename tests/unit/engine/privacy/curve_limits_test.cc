// What the curve forgets to stay small: it may cost noise, never soundness.

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "engine/privacy/curve.h"
#include "tests/support/proof_random.h"
#include "tests/unit/engine/privacy/curve_reference.h"

namespace lethe::curve_limits_test {
namespace {

using proof::Dice;
using Group = ShiftNoiseCurve::Group;

constexpr double kRho = 0.028;
const std::array<Group, 1> kAll = {KeyHash{}};
const std::array<Group, 1> kNobody = {std::nullopt};

double Nothing(double) { return 0; }

// Several people: with one group for all, every hull is a single edge and no constraint binds.
TEST(CurveLimitsTest, MergedDrawsNeverAskForLessThanAllOfThemWould) {
  Dice dice(13);
  for (const std::size_t max_draws : {1, 2, 3, 5, 8, 16}) {
    for (int run = 0; run < 20; ++run) {
      ShiftNoiseCurve curve(max_draws), whole;
      ReferenceCurve reference;  // of the draws that `curve` asks for, as they were made
      const double fade = dice.Chance(0.5) ? 0 : dice.LogUniform(1e-3, 0.3);
      const std::int64_t people = 1 + dice.Below(5);
      double now = 0, variance = 0, whole_variance = 0;
      std::int64_t steps = 0;
      for (int deletion = 0; deletion < 120; ++deletion) {
        steps += 1 + dice.Below(4);
        now -= std::ldexp(std::round(fade * dice.Uniform() * 0x1p30), -30);
        const std::array<Group, 1> who = {
            KeyHash{static_cast<std::uint64_t>(dice.Below(people)), 0}};
        for (std::int64_t n = 1 + dice.Below(3); n > 0; --n) {
          const std::int64_t entered = dice.Chance(0.6) ? steps : 1 + dice.Below(steps);
          const double shift = dice.LogUniform(1e-4, 1);
          curve.AddShift(who[0], entered, shift, {now, 0});
          whole.AddShift(who[0], entered, shift, {now, 0});
          reference.AddShift(who[0], entered, shift, now);
        }
        const double sigma = curve.LeastSigma(who, kRho, Nothing, {now, 0});
        const double whole_sigma = whole.LeastSigma(who, kRho, Nothing, {now, 0});
        ASSERT_LE(reference.CostWith(who, sigma, 0, now), kRho) << max_draws << " " << deletion;
        curve.AddDraw(steps, sigma * sigma, {now, 0});
        whole.AddDraw(steps, whole_sigma * whole_sigma, {now, 0});
        reference.AddDraw(steps, sigma * sigma, now);
        variance += sigma * sigma;
        whole_variance += whole_sigma * whole_sigma;
        ASSERT_LE(curve.draws(), max_draws + 3);
      }
      EXPECT_LT(variance, whole_variance * (max_draws < 16 ? 30 : 6)) << max_draws;
    }
  }
}

// The merge at the later time would let shift be absorbed by noise drawn before it entered.
TEST(CurveLimitsTest, WhatEnteredBetweenMergedDrawsWaitsForALaterOne) {
  ShiftNoiseCurve curve(3);
  for (std::int64_t steps = 10; steps <= 40; steps += 10) curve.AddDraw(steps, 1, {});
  ASSERT_EQ(curve.draws(), 3u);        // those of 10 and 20 are one now
  curve.AddShift(kAll[0], 15, 1, {});  // may use 20, 30, 40; but 10 it must not
  EXPECT_NEAR(curve.Divergence(kAll, 0, {}), 1.0 / (2 * 2), 1e-9);
}

TEST(CurveLimitsTest, FadedDrawsAreDroppedAndTheirShiftMovesOn) {
  ShiftNoiseCurve curve;
  ReferenceCurve reference;
  double now = 0;
  for (std::int64_t steps = 1; steps <= 500; ++steps) {
    now -= 8;  // N falls by e^-16 at a step: 1e-290 is 42 draws back
    curve.AddShift(kAll[0], std::max<std::int64_t>(1, steps - 45), 1e-3, {now, 0});
    reference.AddShift(kAll[0], std::max<std::int64_t>(1, steps - 45), 1e-3, now);
    const double sigma = curve.LeastSigma(kAll, kRho, Nothing, {now, 0});
    ASSERT_LE(reference.CostWith(kAll, sigma, 0, now), kRho) << steps;
    curve.AddDraw(steps, sigma * sigma, {now, 0});
    reference.AddDraw(steps, sigma * sigma, now);
    ASSERT_LE(curve.draws(), 43u);
  }
}

TEST(CurveLimitsTest, ADrawOfNoVarianceIsNoDraw) {
  ShiftNoiseCurve curve;
  curve.AddShift(kAll[0], 1, 1, {});
  curve.AddDraw(1, 0, {});
  EXPECT_EQ(curve.draws(), 0u);
  const double sigma = curve.LeastSigma(kAll, kRho, Nothing, {});
  EXPECT_NEAR(sigma, 1 / std::sqrt(2 * kRho), 1e-10);
}

TEST(CurveLimitsTest, ShiftsWithoutAGroupAreGoneAfterTheNextDraw) {
  ShiftNoiseCurve curve;
  curve.AddShift(std::nullopt, 1, 1, {});
  const double first = curve.LeastSigma(kNobody, kRho, Nothing, {});
  EXPECT_NEAR(first, 1 / std::sqrt(2 * kRho), 1e-10);
  curve.AddDraw(1, first * first, {});
  EXPECT_EQ(curve.Divergence(kNobody, 0, {}), 0);
  EXPECT_EQ(curve.groups(), 0u);
  curve.AddShift(std::nullopt, 2, 1e-3, {});
  const double second = curve.LeastSigma(kNobody, kRho, Nothing, {});
  EXPECT_NEAR(second, 1e-3 / std::sqrt(2 * kRho), 1e-10);
}

TEST(CurveLimitsTest, GroupsDoNotPayForEachOtherButTogetherTheyDo) {
  const Group a = KeyHash{1, 0}, b = KeyHash{2, 0};
  ShiftNoiseCurve curve;
  curve.AddShift(a, 1, 1, {});
  curve.AddShift(b, 1, 0.1, {});
  const std::array<Group, 1> only_b = {b};
  const std::array<Group, 2> both = {a, b};
  EXPECT_NEAR(curve.LeastSigma(only_b, kRho, Nothing, {}), 0.1 / std::sqrt(2 * kRho), 1e-10);
  EXPECT_NEAR(curve.LeastSigma(both, kRho, Nothing, {}), 1.1 / std::sqrt(2 * kRho), 1e-10);
}

// One person's large draw must not hide that another's is too small.
TEST(CurveLimitsTest, SmallShiftAfterAForeignLargeDrawGetsItsOwnNoise) {
  for (const double ratio : {1e-7, 2.6e-8, 1.6e-8, 1e-8, 1e-9, 1e-12}) {
    ShiftNoiseCurve curve;
    ReferenceCurve reference;
    curve.AddDraw(1, 1 / (2 * kRho), {});  // covers a shift of 1
    reference.AddDraw(1, 1 / (2 * kRho), 0);
    curve.AddShift(kAll[0], 2, ratio, {});
    reference.AddShift(kAll[0], 2, ratio, 0);
    const double sigma = curve.LeastSigma(kAll, kRho, Nothing, {});
    EXPECT_LE(reference.CostWith(kAll, sigma, 0, 0), kRho) << ratio;
    EXPECT_NEAR(sigma, ratio / std::sqrt(2 * kRho), 1e-9 * sigma) << ratio;
  }
}

// A descent touches every retained event again, so that earlier draws cannot absorb it any more.
TEST(CurveLimitsTest, AfterADescentOnlyLaterDrawsCount) {
  ShiftNoiseCurve curve;
  const auto before = curve.Hold(kAll[0], 5, 1, {});
  curve.AddDraw(10, 1000, {});
  curve.Reopen(12);
  for (const std::int64_t entered : {5, 12}) {
    ShiftNoiseCurve copy = curve;
    copy.AddShift(kAll[0], entered, 1, {});
    EXPECT_NEAR(copy.LeastSigma(kAll, kRho, Nothing, {}), 1 / std::sqrt(2 * kRho), 1e-10);
  }
  curve.Add(before, {});  // had left the retained ones before the descent
  EXPECT_LT(curve.LeastSigma(kAll, kRho, Nothing, {}), 1e-30);
}

TEST(CurveLimitsTest, WhatIsHeldCountsForThisQuestionOnly) {
  ShiftNoiseCurve curve;
  const std::array<ShiftNoiseCurve::Held, 1> held = {curve.Hold(kAll[0], 1, 2, {})};
  // Held at log 0, asked for when a factor e^-1 is left of it.
  EXPECT_NEAR(curve.LeastSigma(kAll, kRho, Nothing, {-1, 0}, held),
              2 * std::exp(-1) / std::sqrt(2 * kRho), 1e-10);
  EXPECT_EQ(curve.LeastSigma(kAll, kRho, Nothing, {-1, 0}), 0);
}

TEST(CurveLimitsTest, ThousandsOfGroupsFadeAway) {
  ShiftNoiseCurve curve(64);
  double now = 0;
  std::size_t most = 0;
  for (std::uint64_t person = 1; person <= 20'000; ++person) {
    now -= 1;  // a shift is below 1e-300 after 700 draws
    const std::array<Group, 1> group = {KeyHash{person, 0}};
    const auto steps = static_cast<std::int64_t>(person);
    curve.AddShift(group[0], steps, 1e-3, {now, 0});
    const double sigma = curve.LeastSigma(group, kRho, Nothing, {now, 0});
    ASSERT_NEAR(sigma, 1e-3 / std::sqrt(2 * kRho), 1e-12);
    curve.AddDraw(steps, sigma * sigma, {now, 0});
    most = std::max(most, curve.groups());
  }
  EXPECT_LT(most, 3000u);
  EXPECT_GE(most, 700u);
}

}  // namespace
}  // namespace lethe::curve_limits_test
