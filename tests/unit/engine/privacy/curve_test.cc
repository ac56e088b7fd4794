// How much noise the curve asks for: the least that its definition allows.

#include "engine/privacy/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/proof_random.h"
#include "tests/unit/engine/privacy/curve_reference.h"

namespace lethe::curve_test {
namespace {

using proof::Dice;
using Group = ShiftNoiseCurve::Group;

constexpr double kRho = 0.028;
constexpr double kInf = std::numeric_limits<double>::infinity();
const std::array<Group, 1> kAll = {KeyHash{}};

double Nothing(double) { return 0; }
double AsOneDraw(double shift) { return shift / std::sqrt(2 * kRho); }

TEST(CurveDeathTest, ShiftsThatAreNoDistancesStopTheProcess) {
  ShiftNoiseCurve curve;
  EXPECT_DEATH(curve.AddShift(kAll[0], 1, -1, {}), "internal error");
  EXPECT_DEATH(curve.AddShift(kAll[0], 1, std::nan(""), {}), "internal error");
  EXPECT_DEATH(curve.AddShift(kAll[0], 1, kInf, {}), "internal error");
  curve.AddDraw(10, 1, {});
  EXPECT_DEATH(curve.AddDraw(9, 1, {}), "internal error");
}

TEST(CurveTest, ShiftWithoutALaterDrawIsUnbounded) {
  ShiftNoiseCurve curve;
  EXPECT_EQ(curve.Divergence(kAll, 0, {}), 0);
  curve.AddShift(kAll[0], 1, 1, {});
  EXPECT_EQ(curve.Divergence(kAll, 0, {}), kInf);
  curve.AddDraw(1, 4, {});
  EXPECT_NEAR(curve.Divergence(kAll, 0, {}), 1.0 / 8, 1e-10);
  curve.AddShift(kAll[0], 2, 1e-9, {});
  EXPECT_EQ(curve.Divergence(kAll, 0, {}), kInf);
}

TEST(CurveTest, FirstDeletionIsOneGaussianMechanism) {
  ShiftNoiseCurve curve;
  curve.AddShift(kAll[0], 1, 0.3, {});
  const double sigma = curve.LeastSigma(kAll, kRho, Nothing, {});
  EXPECT_GE(sigma, AsOneDraw(0.3));
  EXPECT_NEAR(sigma, AsOneDraw(0.3), 1e-11);
}

TEST(CurveTest, ExtraShiftIsAbsorbedByTheNextDrawAloneAndNotKept) {
  ShiftNoiseCurve curve;
  curve.AddShift(kAll[0], 1, 0.3, {});
  curve.AddDraw(1, AsOneDraw(0.3) * AsOneDraw(0.3), {});
  const auto extra = [](double sigma) { return 0.01 + 1e-6 * sigma; };
  const double sigma = curve.LeastSigma(kAll, kRho, extra, {});
  curve.AddDraw(1, sigma * sigma, {});
  EXPECT_LE(curve.Divergence(kAll, extra(sigma), {}), kRho);
  EXPECT_LT(curve.Divergence(kAll, 0, {}), kRho * (1 - 1e-3));
}

// Real people delete events older than the previous deletion, which OLU Theorem 6 excludes.
TEST(CurveTest, OldEventsUseTheNoiseOfEarlierDeletions) {
  ShiftNoiseCurve before, after;
  for (ShiftNoiseCurve* curve : {&before, &after}) {
    curve->AddShift(kAll[0], 50, 1, {});
    curve->AddDraw(100, std::pow(AsOneDraw(1), 2), {});
  }
  before.AddShift(kAll[0], 60, 0.1, {});  // entered before the draw
  after.AddShift(kAll[0], 101, 0.1, {});  // after it
  const double old_event = before.LeastSigma(kAll, kRho, Nothing, {});
  const double new_event = after.LeastSigma(kAll, kRho, Nothing, {});
  // Together they are one mechanism with shift 1.1, of which the variance of 1 is there already.
  EXPECT_NEAR(old_event, std::sqrt(std::pow(AsOneDraw(1.1), 2) - std::pow(AsOneDraw(1), 2)), 1e-9);
  EXPECT_GE(new_event, old_event * (1 - 1e-9));
  EXPECT_LT(new_event, AsOneDraw(1.1));
}

TEST(CurveTest, FadingAloneChangesNothingAboutThePast) {
  ShiftNoiseCurve curve;
  curve.AddShift(kAll[0], 1, 0.5, {-1, 0});
  curve.AddDraw(3, 2, {-1, 0});
  curve.AddShift(kAll[0], 4, 0.25, {-2, 0});
  curve.AddDraw(9, 3, {-2, 0});
  const double then = curve.Divergence(kAll, 0, {-2, 0});
  for (const double log : {-3.0, -30.0, -300.0}) {
    EXPECT_NEAR(curve.Divergence(kAll, 0, {log, 0}), then, 1e-10 * then) << log;
  }
}

TEST(CurveTest, OrderOfDeletionsBetweenTwoDrawsDoesNotMatter) {
  Dice dice(11);
  struct Deletion {
    std::int64_t entered;
    double shift;
  };
  for (int run = 0; run < 200; ++run) {
    std::vector<Deletion> deletions(20);
    for (Deletion& d : deletions) d = {1 + dice.Below(40), dice.LogUniform(1e-6, 1)};
    std::vector<double> sigmas;
    for (int order = 0; order < 3; ++order) {
      ShiftNoiseCurve curve;
      for (std::int64_t steps = 10; steps <= 30; steps += 10) curve.AddDraw(steps, 0.5, {});
      for (const Deletion& d : deletions) curve.AddShift(kAll[0], d.entered, d.shift, {});
      sigmas.push_back(curve.LeastSigma(kAll, kRho, Nothing, {}));
      if (order == 0) std::reverse(deletions.begin(), deletions.end());
      if (order == 1) {
        std::sort(deletions.begin(), deletions.end(),
                  [](const Deletion& a, const Deletion& b) { return a.entered < b.entered; });
      }
    }
    EXPECT_NEAR(sigmas[0], sigmas[1], 1e-10 * sigmas[0]);
    EXPECT_NEAR(sigmas[0], sigmas[2], 1e-10 * sigmas[0]);
  }
}

// Long random streams of deletions of any age and size, with fading in between.
TEST(CurveTest, SigmaIsTheLeastThatTheDefinitionAllows) {
  Dice dice(12);
  for (int run = 0; run < 150; ++run) {
    ShiftNoiseCurve curve;
    ReferenceCurve reference;
    const double fade = dice.LogUniform(1e-3, 1);
    const bool subjects = dice.Chance(0.5);
    double now = 0;
    std::int64_t steps = 0;
    for (int deletion = 0; deletion < 60; ++deletion) {
      steps += 1 + dice.Below(5);
      now -= std::ldexp(std::round(fade * dice.Uniform() * 0x1p30), -30);
      std::vector<Group> groups = {KeyHash{subjects ? 1 + std::uint64_t(dice.Below(3)) : 0, 7}};
      if (subjects && dice.Chance(0.2)) groups.push_back(std::nullopt);
      for (const Group& group : groups) {
        const std::int64_t entered = dice.Chance(0.5) ? steps : 1 + dice.Below(steps);
        const double shift = dice.LogUniform(1e-9, 1);
        curve.AddShift(group, entered, shift, {now, 0});
        reference.AddShift(group, entered, shift, now);
      }
      const double extra = dice.Chance(0.5) ? 0 : dice.LogUniform(1e-16, 1e-3);
      const auto constant = [extra](double) { return extra; };
      const double sigma = curve.LeastSigma(groups, kRho, constant, {now, 0});
      const auto cost = [&](long double s) { return reference.CostWith(groups, s, extra, now); };
      ASSERT_LE(cost(sigma), kRho) << run << " " << deletion;
      if (cost(1e-30L) <= kRho) {  // earlier draws cover everything
        ASSERT_LE(sigma, 1e-30) << run << " " << deletion;
      } else {
        ASSERT_GE(cost(sigma), kRho * (1 - 1e-9)) << run << " " << deletion;
        // (The curve rounds the noise that is there already down by 1e-12.)
        ASSERT_GT(cost(0.99L * sigma), kRho * (1 - 1e-11)) << run << " " << deletion;
      }
      curve.AddDraw(steps, sigma * sigma, {now, 0});
      ASSERT_LE(curve.Divergence(groups, extra, {now, 0}), kRho);
      reference.AddDraw(steps, sigma * sigma, now);
    }
  }
}

}  // namespace
}  // namespace lethe::curve_test
