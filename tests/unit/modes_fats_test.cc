// What mode fats refuses and promises.
#include <gtest/gtest.h>

#include "engine/modes/make.h"
#include "engine/modes/registry.h"
#include "state/memory_payloads.h"
#include "tests/support/proof_random.h"

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

// Deleting a person hits one client: the events of all others stay where they are.
TEST(ModesFats, APersonsEventsShareAClient) {
  Spec spec = Fats();
  spec.forgetting.fats = {.client = FatsClient::kSubject,
                          .clients = 4,
                          .draws = 2,
                          .local_steps = 2,
                          .batch = 3,
                          .round_every = 20};
  const Plan plan = Plan::Make(spec).value();
  MemoryPayloads payloads;
  proof::KeyedRandom random(3);
  const auto mode = MakeUnlearner(plan, {0}, random, payloads);
  std::vector<Target> batch;
  for (std::int64_t i = 0; i < 100; ++i) {
    // Two persons, of clients 1 and 2; nobody else is drawn, having no events.
    const KeyHash subject{i % 2 == 0 ? 2u : 4u, 0};
    if (i % 2 == 0) batch.push_back({{i}, {}});
    mode->LearnOf(subject, {Vector::Constant(3, 0.1), i % 2 == 0 ? 1.0 : -1.0});
  }
  EXPECT_GT(mode->LearnGradients(), 0);
  mode->Release(batch);
  ASSERT_TRUE(mode->Forget(batch).ok());
  EXPECT_GT(mode->DeletionGradients(), 0);
  // Only those who say -1 are left.
  EXPECT_LT(mode->model()[0], 0);
}

}  // namespace
}  // namespace lethe
