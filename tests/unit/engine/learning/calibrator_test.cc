// From the configured guarantee, split and budget to the sigma of a draw.

#include "engine/learning/calibrator.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "engine/plan.h"
#include "engine/privacy/curve.h"
#include "engine/privacy/noise.h"
#include "engine/spec/split.h"
#include "tests/support/passive_spec.h"

namespace lethe::calibrator_test {
namespace {

Spec Base(Split split = Split::kCurve, Guarantee guarantee = Guarantee::kJoint) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 20;
  spec.forgetting.split = split;
  spec.forgetting.guarantee = guarantee;
  spec.forgetting.shrink.off = true;  // exact_shrink_test.cc has it
  return spec;
}

// A run and its calibrator, with noise booked and not drawn.
struct Desk {
  explicit Desk(const Spec& spec)
      : plan(Plan::Make(spec).value()),
        run(Loss(spec.model.loss), plan.constants, plan.schedule, spec.model.dimension),
        calibrator(spec, plan.constants, plan.promise) {}

  void Learn(int count) {
    for (; count > 0; --count) run.Learn({Vector::Unit(20, 0), 1});
  }

  Result<Forgetting> Forget(std::int64_t index, std::optional<std::uint64_t> subject = {}) {
    Target target{{index}, {}};
    if (subject) target.subject = KeyHash{*subject, 0};
    const std::vector<Calibrator::Held> batch = {calibrator.Hold(target, run)};
    const auto forgetting = calibrator.Calibrate(batch, run);
    if (!forgetting.ok()) return forgetting;
    if (forgetting.value().shrink < 1) run.Shrink(forgetting.value().shrink, false);
    calibrator.Drawn(batch, forgetting.value(), run);
    run.BookDraw(forgetting.value().sigma);
    return forgetting;
  }

  Plan plan;
  OnlineRun run;
  Calibrator calibrator;
};

// Rounding to the grid is itself a shift in proportion to sigma, which a tiny budget cannot absorb.
TEST(CalibratorTest, BudgetsBelowWhatTheGridNeedsAreRefusedOrKept) {
  for (const Split split : {Split::kCurve, Split::kZeta}) {
    for (const double mu : {1e-9, 1e-7, 1e-6, 1e-5, 1e-4}) {
      Spec spec = Base(split);
      spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = mu, .rho = {}};
      const auto plan = Plan::Make(spec);
      if (!plan.ok()) {
        EXPECT_EQ(plan.status().code(), ErrorCode::kConfig);
        continue;
      }
      Desk gateway(spec);
      gateway.Learn(100);
      const double rho = plan.value().promise.rho;
      for (std::int64_t i = 0; i < 60; ++i) {
        const double share = split == Split::kZeta ? SplitShare(split, rho, i + 1, 0) : rho;
        const double round_off = gateway.run.ledger().RoundOff();
        const Forgetting forgetting = gateway.Forget(i).value();
        // The curve may use earlier draws, but not for the rounding.
        const double needed = round_off + GridShift(forgetting.sigma, spec.model.radius, 20) +
                              (split == Split::kZeta ? forgetting.shift : 0);
        ASSERT_GE(forgetting.sigma * std::sqrt(2 * share), needed * (1 - 1e-13))
            << Name(split) << " " << mu << " " << i;
        ASSERT_LT(forgetting.sigma, 1e100) << Name(split) << " " << mu;
      }
    }
  }
}

TEST(CalibratorTest, HorizonSplitStopsLoudlyWhenItsSharesAreSpent) {
  Spec spec = Base(Split::kHorizon);
  spec.learning.horizon.deletions = 3;
  Desk gateway(spec);
  gateway.Learn(10);
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_TRUE(gateway.Forget(i).ok());
  const auto fourth = gateway.Forget(3);
  ASSERT_FALSE(fourth.ok());
  EXPECT_EQ(fourth.status().code(), ErrorCode::kInput);
  EXPECT_NE(fourth.status().message().find("learning.horizon.deletions = 3"), std::string::npos);
  EXPECT_EQ(gateway.calibrator.draws(), 3);
}

TEST(CalibratorTest, SplitsCoverEachBatchWithItsShare) {
  for (const Split split : {Split::kZeta, Split::kHorizon}) {
    Desk gateway(Base(split));
    gateway.Learn(500);
    for (std::int64_t i = 0; i < 100; ++i) {
      const double share = SplitShare(split, gateway.plan.promise.rho, i + 1, 100);
      const double round_off = gateway.run.ledger().RoundOff();
      const Forgetting forgetting = gateway.Forget(499 - i).value();
      const double covered = forgetting.sigma * std::sqrt(2 * share);
      const double needed = forgetting.shift + round_off + GridShift(forgetting.sigma, 12, 20);
      ASSERT_GE(covered, needed * (1 - 1e-13)) << Name(split) << i;
      ASSERT_LE(covered, needed * (1 + 1e-9)) << Name(split) << i;
    }
  }
}

TEST(CalibratorTest, EveryDeletionDrawsSomethingHoweverOldTheEvent) {
  for (const Split split : {Split::kCurve, Split::kZeta, Split::kHorizon}) {
    Desk gateway(Base(split));
    gateway.Learn(60'000);
    const Forgetting forgetting = gateway.Forget(0).value();
    EXPECT_LT(forgetting.shift, 1e-200) << Name(split);
    EXPECT_GT(forgetting.sigma, 1e-14) << Name(split);  // two worlds may be an ulp apart for ever
    EXPECT_LT(forgetting.sigma, 1e-7) << Name(split);
  }
}

// The claim of section 4: the whole budget every time, and never more noise than the split's.
TEST(CalibratorTest, CurveNeverAddsMoreVarianceThanAnySplit) {
  for (const ScheduleKind schedule :
       {ScheduleKind::kConstant, ScheduleKind::kInverseTime, ScheduleKind::kInverseSqrt}) {
    for (const Split split : {Split::kZeta, Split::kHorizon}) {
      Spec with_curve = Base(), with_split = Base(split);
      with_curve.learning.schedule = with_split.learning.schedule = schedule;
      Desk curve(with_curve), other(with_split);
      double variance = 0, split_variance = 0;
      for (std::int64_t i = 0; i < 100; ++i) {
        curve.Learn(20);
        other.Learn(20);
        const std::int64_t index = (i * 7919) % (20 * (i + 1));
        variance += std::pow(curve.Forget(index).value().sigma, 2);
        split_variance += std::pow(other.Forget(index).value().sigma, 2);
        ASSERT_LE(variance, split_variance * (1 + 1e-9)) << Name(schedule) << Name(split) << i;
      }
    }
  }
}

TEST(CalibratorTest, PerRequestCountsOnlyTheSamePerson) {
  Desk joint(Base()), per_request(Base(Split::kCurve, Guarantee::kPerRequest));
  for (Desk* gateway : {&joint, &per_request}) {
    gateway->Learn(100);
    const double whole = gateway->plan.constants.L * gateway->plan.schedule.Step(100);
    const double least = whole / gateway->plan.promise.mu;
    EXPECT_NEAR(gateway->Forget(99, 1).value().sigma,
                least / std::sqrt(1 - ShiftNoiseCurve::kReserve), 1e-4);
  }
  // The draw for the first person covers the second one's older event, but not both together.
  EXPECT_LT(per_request.Forget(98, 2).value().sigma, 1e-3);
  EXPECT_GT(joint.Forget(98, 2).value().sigma, 1);
  // A second event of the same person is not free.
  EXPECT_GT(per_request.Forget(97, 1).value().sigma, 1);
}

TEST(CalibratorTest, PaperCalibrationForgetsFarTooFastUnderDecreasingSteps) {
  Spec paper = Base(), ledger = Base();
  paper.learning.schedule = ledger.learning.schedule = ScheduleKind::kInverseTime;
  paper.forgetting.calibration = Calibration::kPaper;
  Desk a(paper), b(ledger);
  a.Learn(2000);
  b.Learn(2000);
  EXPECT_LT(a.Forget(1000).value().sigma, 1e-3 * b.Forget(1000).value().sigma);
}

}  // namespace
}  // namespace lethe::calibrator_test
