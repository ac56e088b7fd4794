// What Plan::Make takes for settings that are auto.
#include <gtest/gtest.h>

#include "engine/plan.h"

namespace lethe::plan_defaults_test {
namespace {

Spec AutoSpec(const char* mode) {
  Spec spec;
  spec.model.dimension = 3;
  spec.model.lambda_is_auto = spec.learning.update_is_auto = true;
  spec.forgetting.mode = mode;
  return spec;
}

TEST(PlanDefaults, ModesThatCertifyAnyStepsGetStepsPerFeature) {
  for (const char* mode : {"rewind", "retrain", "restart", "none"}) {
    const Spec spec = Plan::Make(AutoSpec(mode)).value().spec;
    EXPECT_EQ(spec.learning.update, UpdateKind::kAdagrad) << mode;
    EXPECT_EQ(spec.model.lambda, 1e-6) << mode;
  }
}

TEST(PlanDefaults, ModesThatForgetByFadingGetOneStepSize) {
  for (const char* mode : {"passive", "active", "noisy", "certified_removal"}) {
    const Spec spec = Plan::Make(AutoSpec(mode)).value().spec;
    EXPECT_EQ(spec.learning.update, UpdateKind::kSgd) << mode;
    EXPECT_EQ(spec.model.lambda, 0.01) << mode;
  }
}

// A configuration that states its steps keeps their meaning.
TEST(PlanDefaults, StatedStepsAreThoseOfSgd) {
  Spec spec = AutoSpec("rewind");
  spec.learning.eta = 0.5;
  EXPECT_EQ(Plan::Make(spec).value().spec.learning.update, UpdateKind::kSgd);
  EXPECT_EQ(Plan::Make(spec).value().spec.model.lambda, 0.01);
  spec.learning.eta.reset();
  spec.learning.schedule = ScheduleKind::kInverseSqrt;
  EXPECT_EQ(Plan::Make(spec).value().spec.learning.update, UpdateKind::kSgd);
}

TEST(PlanDefaults, WhatIsStatedStays) {
  Spec spec = AutoSpec("rewind");
  spec.model.lambda = 0.1;
  spec.model.lambda_is_auto = false;
  EXPECT_EQ(Plan::Make(spec).value().spec.model.lambda, 0.1);
  spec.learning.update = UpdateKind::kFtrl;
  spec.learning.update_is_auto = false;
  EXPECT_EQ(Plan::Make(spec).value().spec.learning.update, UpdateKind::kFtrl);
}

// The receipts name the values, so that another default is another configuration.
TEST(PlanDefaults, TheCertificatePartHasTheValues) {
  const std::string part = CertificatePart(Plan::Make(AutoSpec("rewind")).value().spec);
  EXPECT_NE(part.find("\"update\":\"adagrad\""), std::string::npos) << part;
  EXPECT_EQ(part.find("\"lambda\":0.01"), std::string::npos) << part;
}

}  // namespace
}  // namespace lethe::plan_defaults_test
