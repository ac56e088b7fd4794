#include <gtest/gtest.h>

#include "engine/shard/config_warnings.h"
#include "tests/support/passive_spec.h"

namespace lethe::hashing_warnings_test {
namespace {

std::vector<std::string> WarningsFor(const Spec& spec) {
  const auto plan = Plan::Make(spec);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return Warnings(plan.value());
}

Spec HashedSpec(std::int64_t bits) {
  Spec spec = PassiveSpec();
  spec.model.hash_bits = bits;
  spec.learning.eta = 3.7;
  return spec;
}

TEST(AdviceTest, WarnsWhenTheNoiseOfOneDeletionDrownsTheModel) {
  const auto warnings = WarningsFor(HashedSpec(18));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("takes noise of sigma 15.1 on each of 262144 weights, of norm "
                             "7.71e+03 where a model has about "),
            std::string::npos)
      << warnings[0];
  EXPECT_NE(warnings[0].find("(forgetting.deadline, so that 294 events come), or use mode rewind"),
            std::string::npos)
      << warnings[0];
}

// A wait that is longer than the stream helps nobody.
TEST(AdviceTest, RecommendsNoWaitThatIsLongerThanTheStream) {
  const auto plan = Plan::Make(HashedSpec(18));
  ASSERT_TRUE(plan.ok());
  EXPECT_NE(Warnings(plan.value(), 294)[0].find("forgetting.deadline"), std::string::npos);
  const std::string shorter = Warnings(plan.value(), 293)[0];
  EXPECT_EQ(shorter.find("forgetting.deadline"), std::string::npos) << shorter;
  EXPECT_NE(shorter.find("learning.eta"), std::string::npos) << shorter;
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
  EXPECT_NE(WarningsFor(spec)[0].find("No wait within the stream"), std::string::npos)
      << WarningsFor(spec)[0];
  spec.model.hash_bits = 6;
  EXPECT_TRUE(WarningsFor(spec).empty());
  spec.model.hash_bits = 24;
  EXPECT_NE(WarningsFor(spec)[0].find("No wait within the stream"), std::string::npos);
  spec.learning.schedule = ScheduleKind::kAdaptive;
  EXPECT_EQ(WarningsFor(spec).size(), 1u);
}

TEST(AdviceTest, WarnsOfABoundThatNoMappedRowComesNear) {
  Spec spec;
  spec.model.dimension = 3;
  spec.model.feature_norm = 2;
  EXPECT_TRUE(WarningsFor(spec).empty());
  spec.features.normalise = NormaliseKind::kL2;
  ASSERT_EQ(WarningsFor(spec).size(), 1u);
  EXPECT_EQ(WarningsFor(spec)[0].substr(0, 18), "features.normalise");
  spec.features.fourier.dimension = 8;
  EXPECT_EQ(WarningsFor(spec)[0].substr(0, 16), "features.fourier");
  spec.model.feature_norm = 1;
  EXPECT_TRUE(WarningsFor(spec).empty());
}

TEST(AdviceTest, IsSilentWhereThereIsNothingToSay) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 20;
  EXPECT_EQ(WarningsFor(spec).size(), 1u) << "a small dense model drowns too";
  spec.forgetting.deadline.events = 200;
  EXPECT_TRUE(WarningsFor(spec).empty());
  for (const char* mode : {"none", "restart", "retrain"}) {
    spec = HashedSpec(18);
    spec.forgetting.mode = mode;
    EXPECT_TRUE(WarningsFor(spec).empty()) << mode;
  }
  spec = PassiveSpec();
  spec.model.dimension = 100000;
  EXPECT_EQ(WarningsFor(spec).size(), 1u) << "and so does a large one";
}

}  // namespace
}  // namespace lethe::hashing_warnings_test
