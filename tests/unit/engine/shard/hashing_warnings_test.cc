#include <gtest/gtest.h>

#include "engine/shard/config_warnings.h"
#include "tests/support/passive_spec.h"

namespace lethe {
namespace {

std::vector<std::string> WarningsFor(const Spec& spec) {
  const auto plan = Plan::Make(spec);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return Warnings(plan.value());
}

Spec HashedSpec(std::int64_t bits) {
  Spec spec = PassiveSpec();
  spec.model.hash_bits = bits;
  return spec;
}

TEST(AdviceTest, WarnsWhenTheNoiseOfOneDeletionDrownsTheModel) {
  const auto warnings = WarningsFor(HashedSpec(18));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(
      warnings[0],
      "deleting one of the latest events takes noise of sigma 15.1 on each of 262144 weights, of "
      "norm "
      "7.71e+03 where model.radius is 12: little of the model is left. Let deletions wait until "
      "the event has faded (forgetting.deadline, so that 294 events come), take fewer "
      "model.hash_bits, or use mode restart or retrain, or dense features with mode active");
}

TEST(AdviceTest, TheDeadlineThatItNamesSilencesIt) {
  Spec spec = HashedSpec(18);
  spec.forgetting.deadline.events = 50;
  ASSERT_EQ(WarningsFor(spec).size(), 1u);
  EXPECT_NE(WarningsFor(spec)[0].find("after the configured wait"), std::string::npos);
  EXPECT_NE(WarningsFor(spec)[0].find("so that 294 events come"), std::string::npos);
  spec.forgetting.deadline.events = 294;
  EXPECT_TRUE(WarningsFor(spec).empty());
  // The shorter of two waits counts, and a time says nothing of how many events come.
  spec.forgetting.batch_window.events = 10;
  EXPECT_EQ(WarningsFor(spec).size(), 1u);
  spec.forgetting.batch_window = {};
  spec.forgetting.deadline = {.events = 0, .event_time_ms = 86400000};
  EXPECT_EQ(WarningsFor(spec).size(), 1u);
}

TEST(AdviceTest, FollowsDecreasingSteps) {
  Spec spec = HashedSpec(18);
  spec.learning.schedule = ScheduleKind::kInverseTime;
  // e falls like 1/t: from norm 24.2 at t = 10000 to 0.12 at t = 202 times that, which is too long.
  ASSERT_EQ(WarningsFor(spec).size(), 1u);
  EXPECT_NE(WarningsFor(spec)[0].find("so that more than 1000000"), std::string::npos)
      << WarningsFor(spec)[0];
  spec.model.hash_bits = 12;
  EXPECT_TRUE(WarningsFor(spec).empty());
  spec.model.hash_bits = 24;
  EXPECT_NE(WarningsFor(spec)[0].find("more than 1000000 events"), std::string::npos);
  spec.learning.schedule = ScheduleKind::kAdaptive;
  EXPECT_EQ(WarningsFor(spec).size(), 1u);
}

TEST(AdviceTest, IsSilentWhereThereIsNothingToSay) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 20;
  EXPECT_TRUE(WarningsFor(spec).empty()) << "a small model recovers";
  EXPECT_TRUE(WarningsFor(HashedSpec(8)).empty());
  for (const char* mode : {"none", "restart", "retrain"}) {
    spec = HashedSpec(18);
    spec.forgetting.mode = mode;
    EXPECT_TRUE(WarningsFor(spec).empty()) << mode;
  }
  spec = PassiveSpec();
  spec.model.dimension = 100000;
  EXPECT_EQ(WarningsFor(spec).size(), 1u) << "a large dense model does not";
  EXPECT_EQ(WarningsFor(spec)[0].find("hash_bits"), std::string::npos);
}

}  // namespace
}  // namespace lethe
