// Step sizes: reference numbers, the cap, and how the contractions of a schedule multiply.

#include "engine/spec/schedule.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace lethe::schedule_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kRho = 0.0244;

Constants Derived(double lambda = 0.01) {
  ModelSpec model;
  model.dimension = 20;
  model.lambda = lambda;
  return Constants::Derive(model).value();
}

LearningSpec Learning(ScheduleKind kind, std::optional<double> eta = {}) {
  return {.schedule = kind, .eta = eta, .horizon = {.events = 20'000, .deletions = 100}};
}

Result<Schedule> Make(ScheduleKind kind, std::optional<double> eta = {}) {
  return Schedule::Make(Learning(kind, eta), Split::kCurve, Derived(), kRho, 20);
}

TEST(ScheduleTest, ConstantStepsThatAreNotPositiveNumbersAreRefused) {
  for (const double eta : {0.0, -0.0, -1.0, kNan, kInf, -kInf}) {
    const auto schedule = Make(ScheduleKind::kConstant, eta);
    ASSERT_FALSE(schedule.ok()) << eta;
    EXPECT_EQ(schedule.status().code(), ErrorCode::kConfig);
    EXPECT_TRUE(schedule.status().message().starts_with("learning.eta: "));
  }
}

TEST(ScheduleTest, ConstantStepAboveTheCapIsRefused) {
  const Constants c = Derived();
  const double cap = 2 / (c.beta + c.mu);
  EXPECT_FALSE(Make(ScheduleKind::kConstant, cap * 1.0001).ok());
  EXPECT_FALSE(Make(ScheduleKind::kConstant, 2 * cap).ok());
  EXPECT_TRUE(Make(ScheduleKind::kConstant, cap / 2).ok());
}

TEST(ScheduleTest, EtaIsTheScaleOfEverySchedule) {
  const Constants c = Derived();
  const auto step = [](ScheduleKind kind, std::optional<double> eta, std::int64_t t) {
    return Make(kind, eta).value().Step(t);
  };
  for (const std::int64_t t : {1, 10, 1000}) {
    const auto n = static_cast<double>(t);
    EXPECT_DOUBLE_EQ(step(ScheduleKind::kConstant, 0.3, t), 0.3);
    EXPECT_DOUBLE_EQ(step(ScheduleKind::kInverseSqrt, 0.3, t), 0.3 / std::sqrt(n));
    EXPECT_DOUBLE_EQ(step(ScheduleKind::kInverseTime, 0.3, t), 0.3 / (1 + 0.3 * c.mu * n));
    // An infinite scale is what `auto` stands for.
    EXPECT_EQ(step(ScheduleKind::kInverseTime, {}, t), std::min(1 / c.mu / n, c.max_step()));
    EXPECT_LE(step(ScheduleKind::kInverseSqrt, 1e9, t), c.max_step());
    EXPECT_LE(step(ScheduleKind::kInverseTime, 1e9, t), c.max_step());
  }
  EXPECT_DOUBLE_EQ(Make(ScheduleKind::kAdaptive, 0.3).value().AdaptiveStep(4), 0.15);
  EXPECT_EQ(Make(ScheduleKind::kHorizon, 0.3).status().message(),
            "learning.eta: schedule: horizon computes its step from learning.horizon; use auto, or "
            "schedule: constant");
}

TEST(ScheduleTest, StepsPerFeatureFollowNoScheduleAndAreNotPublic) {
  LearningSpec learning = Learning(ScheduleKind::kConstant, 30);
  learning.update = UpdateKind::kAdagrad;
  const auto make = [&] { return Schedule::Make(learning, Split::kCurve, Derived(), kRho, 20); };
  EXPECT_EQ(make().value().rate(), 30);
  EXPECT_FALSE(make().value().is_public());
  EXPECT_EQ(make().value().nominal_step(), Derived().max_step());
  learning.eta = -1;
  EXPECT_TRUE(make().status().message().starts_with("learning.eta: must be"));
  learning.eta = {};
  learning.schedule = ScheduleKind::kInverseSqrt;
  EXPECT_EQ(make().status().message(),
            "learning.schedule: update: adagrad gives every weight a step size of its own, which "
            "follows no schedule; use schedule: constant, or update: sgd");
}

// A user who computes 2/(beta+mu) with R instead of R (1 + 2^-20) means the cap.
TEST(ScheduleTest, TheCapItselfIsAllowedAndRoundedDown) {
  const double by_hand = 2 / (0.25 + 2 * 0.01);
  const auto schedule = Make(ScheduleKind::kConstant, by_hand);
  ASSERT_TRUE(schedule.ok());
  EXPECT_EQ(schedule.value().Step(1), Derived().max_step());
  EXPECT_LT(Contraction(Derived(), schedule.value().Step(1)), 1);
}

TEST(ScheduleTest, AutomaticConstantStepIsAnEighthOfTheCap) {
  const Constants c = Derived();
  EXPECT_DOUBLE_EQ(Make(ScheduleKind::kConstant).value().Step(7), 0.25 / (c.beta + c.mu));
}

TEST(ScheduleTest, HorizonStepMatchesTheReference) {
  const Constants c = Derived();
  const HorizonSpec horizon{.events = 20'000, .deletions = 100};
  const auto relative = [&](Split split) {
    return HorizonStep(horizon, split, c, kRho, 20) * c.L / c.diameter();
  };
  EXPECT_NEAR(relative(Split::kHorizon), 4.9e-4, 5e-6);
  EXPECT_NEAR(relative(Split::kCurve), 4.9e-4, 5e-6);
  EXPECT_NEAR(relative(Split::kZeta), 1.9e-4, 5e-6);
}

TEST(ScheduleTest, HorizonWithoutDeletionsIsTheTextbookStep) {
  const Constants c = Derived();
  const HorizonSpec horizon{.events = 400, .deletions = 0};
  EXPECT_DOUBLE_EQ(HorizonStep(horizon, Split::kCurve, c, kRho, 20), c.diameter() / (c.L * 20));
}

TEST(ScheduleTest, EverySchedulesStepsAreCappedAndDoNotGrow) {
  const Constants c = Derived();
  for (const ScheduleKind kind : {ScheduleKind::kConstant, ScheduleKind::kInverseTime,
                                  ScheduleKind::kInverseSqrt, ScheduleKind::kHorizon}) {
    const Schedule schedule = Make(kind).value();
    EXPECT_TRUE(schedule.is_public());
    double before = c.max_step();
    for (const std::int64_t t : {1, 2, 3, 100, 10'000, 1'000'000'000}) {
      EXPECT_GT(schedule.Step(t), 0) << Name(kind);
      EXPECT_LE(schedule.Step(t), before) << Name(kind);
      before = schedule.Step(t);
    }
  }
}

TEST(ScheduleTest, DecreasingStepsFollowTable1) {
  const Constants c = Derived();
  const Schedule time = Make(ScheduleKind::kInverseTime).value();
  const Schedule root = Make(ScheduleKind::kInverseSqrt).value();
  EXPECT_EQ(time.Step(1), c.max_step());
  EXPECT_DOUBLE_EQ(time.Step(1000), 1 / (c.mu * 1000));
  EXPECT_DOUBLE_EQ(root.Step(10'000), c.diameter() / c.L / 100);
}

TEST(ScheduleTest, AdaptiveStepsFollowTheGradientsAndAreCapped) {
  const Constants c = Derived();
  const Schedule adaptive = Make(ScheduleKind::kAdaptive).value();
  EXPECT_FALSE(adaptive.is_public());
  EXPECT_EQ(adaptive.AdaptiveStep(0), c.max_step());
  EXPECT_DOUBLE_EQ(adaptive.AdaptiveStep(1e6), c.diameter() / 1000);
}

// Erratum 1: with 1/(mu t) the product over (u, tau] is u/tau, and not gamma^(tau-u).
TEST(ScheduleTest, InverseTimeContractionsTelescope) {
  // beta/mu = 4, as in the paper's example, from lambda (1 + 3).
  ModelSpec model;
  model.dimension = 20;
  model.lambda = 0.25 / 3;
  const Constants c = Constants::Derive(model).value();
  ASSERT_NEAR(c.beta / c.mu, 4, 1e-5);
  const Schedule schedule =
      Schedule::Make(Learning(ScheduleKind::kInverseTime), Split::kCurve, c, kRho, 20).value();
  double product = 1;
  for (std::int64_t t = 101; t <= 200; ++t) product *= Contraction(c, schedule.Step(t));
  EXPECT_NEAR(product, 0.5, 1e-12);
  for (std::int64_t t = 201; t <= 100'000; ++t) product *= Contraction(c, schedule.Step(t));
  EXPECT_NEAR(product, 1e-3, 1e-12);
  // Hence the influence is L/(mu tau), whatever u was.
  EXPECT_NEAR(product * schedule.Step(100) * c.L, c.L / (c.mu * 100'000), 1e-10);
}

}  // namespace
}  // namespace lethe::schedule_test
