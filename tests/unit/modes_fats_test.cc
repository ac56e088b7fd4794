// What mode fats refuses and promises.
#include <gtest/gtest.h>

#include "engine/modes/registry.h"

namespace lethe {
namespace {

Spec Fats() {
  Spec spec;
  spec.model.dimension = 3;
  spec.forgetting.mode = "fats";
  return spec;
}

std::string Refusal(const Spec& spec) {
  const auto plan = Plan::Make(spec);
  return plan.ok() ? "accepted" : plan.status().message();
}

TEST(ModesFats, IsExactAndCertifies) {
  const Plan plan = Plan::Make(Fats()).value();
  EXPECT_TRUE(plan.mode->is_exact);
  EXPECT_EQ(plan.promise.mu, 0);
  EXPECT_TRUE(plan.WhyNotCertified().empty());
}

TEST(ModesFats, RefusesWhatItCannotDo) {
  Spec spec = Fats();
  spec.learning.schedule = ScheduleKind::kAdaptive;
  EXPECT_NE(Refusal(spec).find("learning.schedule"), std::string::npos);
  spec = Fats();
  spec.forgetting.deadline.events = 10;
  EXPECT_NE(Refusal(spec).find("forgetting.deadline"), std::string::npos);
  spec = Fats();
  spec.forgetting.batch_window.events = 10;
  EXPECT_NE(Refusal(spec).find("batch_window"), std::string::npos);
  spec = Fats();
  spec.forgetting.fats.clients = 101;
  EXPECT_NE(Refusal(spec).find("clients times batch"), std::string::npos);
}

}  // namespace
}  // namespace lethe
