// What mode fats refuses and promises.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/plan.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_random.h"

namespace lethe::fats_test {
namespace {

Spec Fats() {
  Spec spec = PassiveSpec();
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

// What a Save writes, and in which way.
class SavedParts final : public State {
 public:
  std::optional<LearnedEvent> FindId(const KeyHash&) const override { return {}; }
  std::vector<LearnedEvent> FindSubject(const KeyHash&) const override { return {}; }
  std::optional<lethe::Refusal> FindRefusal(const KeyHash&) const override { return {}; }
  void AddEvent(const LearnedEvent&) override {}
  void RemoveEvent(const LearnedEvent&) override {}
  void DropBefore(EventIndex) override {}
  void Refuse(const KeyHash&, const lethe::Refusal&) override {}
  void ExpireRefusals(TimeMs) override {}
  void Append(ChainKind, std::string_view) override {}
  Status Commit(bool) override { return Status::Ok(); }

  void Put(Part part, std::string_view bytes) override { Note("put", part, bytes); }
  void Rewrite(Part part, std::string_view bytes) override { Note("rewrite", part, bytes); }

  std::vector<std::string> written;
  std::map<Part, std::string> parts;

 private:
  void Note(const std::string& how, Part part, std::string_view bytes) {
    written.push_back(how + " " + std::to_string(static_cast<int>(part)) + " " +
                      std::to_string(bytes.size()));
    parts[part] = bytes;
  }
};

// The files of a state must not tell whether a deleted event was ever sampled.
TEST(ModesFats, ADeletionIsWrittenTheSameWayWhetherItHitOrNot) {
  Spec spec = Fats();
  spec.forgetting.fats = {.client = FatsClient::kIndex,
                          .clients = 4,
                          .draws = 4,
                          .local_steps = 1,
                          .batch = 3,
                          .round_every = 40};
  const Plan plan = Plan::Make(spec).value();
  std::set<std::vector<std::string>> ways;
  std::set<std::string> positions;
  int hits = 0;
  for (std::int64_t deleted = 0; deleted < 40; ++deleted) {
    MemoryPayloads payloads;
    proof::KeyedRandom random(3);
    const auto mode = MakeUnlearner(plan, {0}, random, payloads);
    // One round. A batch that is drawn again has as many events as before.
    for (int i = 0; i < 40; ++i) mode->Learn({Vector::Constant(3, 0.1), 1.0});
    SavedParts before;
    mode->Save(before);
    const std::vector<Target> batch = {{{deleted}, {}}};
    mode->Release(batch);
    ASSERT_TRUE(mode->Forget(batch).ok());
    hits += mode->DeletionGradients() > 0 ? 1 : 0;
    SavedParts after;
    mode->Save(after);
    ways.insert(after.written);
    positions.insert(after.parts[Part::kRun]);
  }
  EXPECT_GT(hits, 0);
  EXPECT_LT(hits, 40);
  EXPECT_EQ(ways.size(), 1u);
  EXPECT_EQ(ways.begin()->back().substr(0, 10), "rewrite 7 ");
  EXPECT_EQ(positions.size(), 1u);
}

}  // namespace
}  // namespace lethe::fats_test
