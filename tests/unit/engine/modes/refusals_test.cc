// What the modes of the papers refuse, what they promise, and which of them cannot run.
#include <gtest/gtest.h>

#include "engine/plan.h"
#include "engine/shard/receipt_text.h"
#include "tests/support/passive_spec.h"

namespace lethe::modes_refusals_test {
namespace {

Spec Mode(const char* mode) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 20;
  spec.forgetting.mode = mode;
  return spec;
}

std::string Refusal(const Spec& spec) {
  const auto plan = Plan::Make(spec);
  return plan.ok() ? "accepted" : plan.status().message();
}

void ExpectRefused(const Spec& spec, const char* part) {
  EXPECT_NE(Refusal(spec).find(part), std::string::npos) << Refusal(spec);
}

bool Certifies(const Spec& spec) { return Plan::Make(spec).value().WhyNotCertified().empty(); }

TEST(ModesRefusals, CertifiedRemovalNeedsEveryMinimiserInTheBall) {
  Spec spec = Mode("certified_removal");
  EXPECT_EQ(Refusal(spec), "accepted");
  spec.model.radius = 5;
  ExpectRefused(spec, "certified_removal needs every minimiser inside the ball");
  spec.model.loss = LossKind::kSquared;
  ExpectRefused(spec, "radius must be at least 10");
  spec = Mode("certified_removal");
  spec.forgetting.active.tolerance = 1e-14;
  ExpectRefused(spec, "cannot be told from rounding");
  spec = Mode("certified_removal");
  spec.forgetting.calibration = Calibration::kPaper;
  ExpectRefused(spec, "variant: paper instead");
}

TEST(ModesRefusals, StepsPerFeatureCertifyWhereForgettingIsExact) {
  for (const UpdateKind update :
       {UpdateKind::kAdagrad, UpdateKind::kFtrl, UpdateKind::kNormalised}) {
    for (const char* mode : {"rewind", "retrain", "restart"}) {
      Spec spec = Mode(mode);
      spec.learning.update = update;
      EXPECT_TRUE(Certifies(spec)) << mode;
    }
    Spec spec = Mode("passive");
    spec.learning.update = update;
    const auto reasons = Plan::Make(spec).value().WhyNotCertified();
    ASSERT_EQ(reasons.size(), 1u);
    EXPECT_TRUE(reasons[0].starts_with(std::string("the steps of update: ") + Name(update)));
    for (const char* other : {"active", "d2d_strong", "noisy", "noisy_gd", "online_dp", "fats"}) {
      spec = Mode(other);
      spec.learning.update = update;
      ExpectRefused(spec, "learning.update: mode");
    }
  }
}

TEST(ModesRefusals, TheVariantsOfCertifiedRemovalPromiseDifferentThings) {
  Spec spec = Mode("certified_removal");
  EXPECT_TRUE(Certifies(spec));
  EXPECT_FALSE(Plan::Make(spec).value().mode->is_exact);
  EXPECT_TRUE(Plan::Make(spec).value().CheckRun().ok());
  spec.forgetting.removal.solver = RemovalSolver::kChord;
  EXPECT_TRUE(Certifies(spec));
  EXPECT_NE(Plan::Make(spec).value().CheckRun().message().find("use solver: newton"),
            std::string::npos);
  spec.forgetting.variant = RemovalVariant::kPaper;
  EXPECT_FALSE(Certifies(spec));
  EXPECT_TRUE(Plan::Make(spec).value().mode->keeps_secret);
  EXPECT_FALSE(Plan::Make(spec).value().CheckRun().ok());
  spec.forgetting.deadline.events = 5;
  ExpectRefused(spec, "cannot wait");
  spec = Mode("certified_removal");
  spec.model.loss = LossKind::kSquared;
  EXPECT_TRUE(Plan::Make(spec).value().mode->is_exact);
  EXPECT_EQ(Plan::Make(spec).value().promise.mu, 0);
}

TEST(ModesRefusals, NoisyModesSayWhetherRequestsMayBeAdaptive) {
  for (const char* mode : {"noisy", "noisy_gd"}) {
    Spec spec = Mode(mode);
    EXPECT_TRUE(Certifies(spec));
    EXPECT_FALSE(Plan::Make(spec).value().AllowsAdaptiveRequests());
    spec.forgetting.noisy.requests = Requests::kAdaptive;
    EXPECT_TRUE(Plan::Make(spec).value().AllowsAdaptiveRequests());
    spec.learning.schedule = ScheduleKind::kAdaptive;
    ExpectRefused(spec, "learning.schedule");
  }
  EXPECT_EQ(Assumptions(Mode("noisy"), true).size() + 1, Assumptions(Mode("noisy"), false).size());
  Spec spec = Mode("noisy_gd");
  spec.forgetting.calibration = Calibration::kPaper;
  EXPECT_FALSE(Certifies(spec));
  spec = Mode("noisy_gd");
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  ExpectRefused(spec, "use joint");
  spec = Mode("noisy");
  spec.forgetting.split = Split::kZeta;
  ExpectRefused(spec, "curve");
}

TEST(ModesRefusals, OnlineDpNeedsABudgetForItsDeletions) {
  Spec spec = Mode("online_dp");
  EXPECT_TRUE(Certifies(spec));
  EXPECT_TRUE(Plan::Make(spec).value().AllowsAdaptiveRequests());
  spec.forgetting.online_dp.deletions = 1'000'000'000;
  ExpectRefused(spec, "online_dp.deletions");
  spec = Mode("online_dp");
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  ExpectRefused(spec, "use joint");
}

TEST(ModesRefusals, Algorithm3IsCertifiedAsCorrectedOnly) {
  Spec spec = Mode("active");
  spec.forgetting.active.variant = ActiveVariant::kAlgorithm3;
  EXPECT_TRUE(Certifies(spec));
  spec.forgetting.deadline.events = 5;
  ExpectRefused(spec, "algorithm_3 computes on the events that are being deleted");
  spec.forgetting.deadline.events = 0;
  spec.model.loss = LossKind::kHuber;
  spec.model.radius = 100;
  ExpectRefused(spec, "third derivative");
  spec = Mode("active");
  spec.forgetting.active.variant = ActiveVariant::kAlgorithm3;
  spec.model.radius = 5;
  ExpectRefused(spec, "algorithm_3 needs every minimiser");
  spec.forgetting.active.variant = ActiveVariant::kAlgorithm3Paper;
  EXPECT_EQ(Refusal(spec), "accepted");
  EXPECT_FALSE(Certifies(spec));
}

}  // namespace
}  // namespace lethe::modes_refusals_test
