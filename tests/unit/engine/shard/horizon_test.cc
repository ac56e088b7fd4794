// Mode passive with bounded memory: what has faded is dropped, and a request that matches nothing
// known draws for what was dropped.
#include "engine/privacy/horizon.h"

#include <map>

#include "engine/modes/online_unlearner.h"
#include "tests/support/passive_spec.h"
#include "tests/support/shard_fixture.h"

namespace lethe::testing::horizon_test {
namespace {

// Parts in memory.
class Parts final : public State {
 public:
  std::optional<LearnedEvent> FindId(const KeyHash&) const override { return std::nullopt; }
  std::vector<LearnedEvent> FindSubject(const KeyHash&) const override { return {}; }
  std::optional<Refusal> FindRefusal(const KeyHash&) const override { return std::nullopt; }
  void AddEvent(const LearnedEvent&) override {}
  void RemoveEvent(const LearnedEvent&) override {}
  void DropBefore(EventIndex) override {}
  void Refuse(const KeyHash&, const Refusal&) override {}
  void ExpireRefusals(TimeMs) override {}
  void Append(ChainKind, std::string_view) override {}
  std::optional<std::string> Get(Part part) const override {
    const auto found = parts.find(part);
    return found == parts.end() ? std::nullopt : std::optional(found->second);
  }
  void Put(Part part, std::string_view bytes) override { parts[part] = bytes; }
  void Extend(Part part, std::string_view bytes) override { parts[part] += bytes; }
  Status Commit(bool) override { return Status::Ok(); }

  std::map<Part, std::string> parts;
};

// lambda is large, so that events fade within a few hundred steps.
Spec Fading() {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  spec.model.lambda = 0.5;
  spec.learning.eta = 0.8;
  spec.noise.source = NoiseKind::kSeeded;
  spec.forgetting.retention.events = 768;
  return spec;
}

class HorizonTest : public ShardFixture {
 protected:
  HorizonTest() { spec = Fading(); }

  void LearnMany(std::int64_t count) {
    for (; count > 0; --count, ++next_) {
      Learn("e" + std::to_string(next_), "u" + std::to_string(next_ % 50));
    }
  }
  std::string Last(const std::string& path) { return Receipt(sink.published.size() - 1, path); }

  std::int64_t next_ = 0;
};

TEST_F(HorizonTest, KnowsNoEventLongerThanItsRetention) {
  std::int64_t oldest = 0;
  for (int i = 0; i < 5000; ++i) {
    LearnMany(1);
    const std::int64_t anchor = shard->unlearner().anchor().value;
    oldest = std::max(oldest, next_ - anchor);
    ASSERT_LE(next_ - anchor, 768);
    if (i % 512 != 0 || anchor == 0) continue;
    EXPECT_EQ(shard->Find({.id = "e" + std::to_string(anchor), .subject = {}, .reference = {}}),
              Membership::kLearned);
  }
  EXPECT_GE(oldest, 500);
  EXPECT_EQ(shard->unlearner().window(), 0);
  EXPECT_EQ(shard->unlearner().slides(), 0);
  EXPECT_EQ(shard->model_version().value, 5000);
  EXPECT_EQ(shard->clean_from().value, 0);
}

TEST_F(HorizonTest, ARequestThatMatchesNothingDrawsOnceEventsWereDropped) {
  LearnMany(10);
  Delete("unknown");
  EXPECT_EQ(Last("outcome"), "nothing_learned");
  EXPECT_EQ(shard->counters().draws, 0);
  LearnMany(1500);
  const std::int64_t anchor = shard->unlearner().anchor().value;
  ASSERT_GT(anchor, 0);
  const auto before = shard->unlearner().model();
  const std::int64_t version = shard->model_version().value;
  Delete("e5");
  EXPECT_EQ(Last("outcome"), "not_retained");
  EXPECT_EQ(Last("covered/before"), std::to_string(anchor));
  EXPECT_EQ(Last("expired"), "<missing>");
  EXPECT_EQ(Last("effective/model_version"), std::to_string(version + 1));
  EXPECT_EQ(shard->model_version().value, version + 1);
  EXPECT_EQ(shard->clean_from().value, version + 1);
  EXPECT_EQ(shard->counters().draws, 1);
  EXPECT_GT(std::stod(Last("sigma")), 0);
  EXPECT_LT(std::stod(Last("sigma")), 1e-8);
  EXPECT_NE(shard->unlearner().model(), before);
  EXPECT_LT((shard->unlearner().model() - before).norm(), 1e-6);
  EXPECT_NE(Last("statement").find("covers all of it"), std::string::npos);
  // A person whose events were all dropped, and one who was forgotten before: both need a draw.
  Delete({}, "nobody");
  EXPECT_EQ(Last("outcome"), "not_retained");
  Delete({}, "u7");
  EXPECT_EQ(Last("outcome"), "forgotten");
  Delete({}, "u7");
  EXPECT_EQ(Last("outcome"), "not_retained");
  EXPECT_EQ(shard->counters().draws, 4);
}

TEST_F(HorizonTest, WithRetentionAllNothingIsDropped) {
  spec.forgetting.retention = {.all = true, .events = 0};
  LearnMany(3000);
  EXPECT_EQ(shard->unlearner().anchor().value, 0);
  Delete("unknown");
  EXPECT_EQ(Last("outcome"), "nothing_learned");
  EXPECT_EQ(shard->counters().draws, 0);
  Delete("e0");
  EXPECT_EQ(Last("outcome"), "forgotten");
}

// A learn is a duplicate if its id came since the record of the anchor, learned or not.
TEST_F(HorizonTest, AnIdIsADuplicateWhileItIsKnown) {
  spec.refuse_late_for_ms = 1;
  LearnMany(1);
  Record old = Make(EventKind::kDelete, "e0", {});
  old.timestamp = {1000};
  ASSERT_TRUE(Feed(old).ok());
  EXPECT_EQ(Last("outcome"), "forgotten");
  Record late = Make(EventKind::kLearn, "e0", {});
  late.timestamp = {100'000};
  ASSERT_TRUE(Feed(late).ok());  // no longer refused, but known
  EXPECT_EQ(shard->counters().duplicates, 1);
  LearnMany(1500);
  ASSERT_GT(shard->unlearner().anchor().value, 2);
  late = Make(EventKind::kLearn, "e0", {});
  late.timestamp = {200'000};
  ASSERT_TRUE(Feed(late).ok());
  EXPECT_EQ(shard->counters().duplicates, 1);
}

TEST_F(HorizonTest, ReceiptsNameTheBlankAndTheFactor) {
  spec.forgetting.shrink.norm = 0.01;
  LearnMany(10);
  Delete("e9");
  EXPECT_NE(Last("assumptions").find("steps on the regulariser"), std::string::npos);
  EXPECT_LT(std::stod(Last("shrink")), 0.1);
}

std::unique_ptr<Unlearner> NewMode(const Plan& plan, RandomSource& random, Payloads& payloads) {
  return MakeUnlearner(plan, {0}, random, payloads);
}

// A state from before the blank was a step on the regulariser keeps its definition, and its events
// their larger influence.
TEST(PassiveStateTest, AnOldStateKeepsItsDefinition) {
  Spec spec = Fading();
  spec.forgetting.shrink.off = true;
  const Plan plan = Plan::Make(spec).value();
  SeededRandom random(1);
  MemoryPayloads payloads;
  const auto sigma_of = [&](Unlearner& mode) {
    const std::vector<Target> batch = {{{2}, {}}};
    mode.Release(batch);
    return mode.Forget(batch).value().sigma;
  };
  const auto fresh = NewMode(plan, random, payloads);
  for (int i = 0; i < 3; ++i) fresh->Learn({Vector::Unit(2, 0), 1});
  EXPECT_EQ(fresh->blank(), Ledger::Blank::kRegulariser);
  Parts state;
  fresh->Save(state);
  const auto same = NewMode(plan, random, payloads);
  ASSERT_TRUE(same->Load(state).ok());
  EXPECT_EQ(same->blank(), Ledger::Blank::kRegulariser);
  state.parts[Part::kMode].pop_back();
  const auto old = NewMode(plan, random, payloads);
  ASSERT_TRUE(old->Load(state).ok());
  EXPECT_EQ(old->blank(), Ledger::Blank::kNoStep);
  const double ratio = sigma_of(*old) / sigma_of(*same);
  EXPECT_NEAR(ratio, plan.constants.L / plan.constants.G, 1e-6 * ratio);
  old->Save(state);
  const auto still_old = NewMode(plan, random, payloads);
  ASSERT_TRUE(still_old->Load(state).ok());
  EXPECT_EQ(still_old->blank(), Ledger::Blank::kNoStep);
}

// After a restart the mode goes on as if it had never stopped, drops and draws included; dense and
// hashed.
TEST(PassiveStateTest, ARestartChangesNoBit) {
  for (const bool hashed : {false, true}) {
    Spec spec = Fading();
    if (hashed) spec.model.hash_bits = 4;
    spec.forgetting.shrink.norm = 0.1;
    const Plan plan = Plan::Make(spec).value();
    SeededRandom random(1);
    MemoryPayloads payloads;
    Parts state;
    const auto straight = NewMode(plan, random, payloads);
    auto stopped = NewMode(plan, random, payloads);
    const auto event = [&](int i) {
      Example example{Vector::Unit(2, i % 2), i % 3 == 0 ? 1.0 : -1.0};
      if (hashed) example.at = {static_cast<std::uint32_t>(i % 7), 9};
      return example;
    };
    for (int i = 0; i < 3000; ++i) {
      straight->Learn(event(i));
      stopped->Learn(event(i));
      if (i % 97 == 0) {
        const std::vector<Target> batch = {{{i}, {}}};
        for (Unlearner* mode : {straight.get(), stopped.get()}) {
          mode->Release(batch);
          const auto forgetting = mode->Forget(batch);
          ASSERT_TRUE(forgetting.ok());
          EXPECT_LT(forgetting.value().shrink, 0.9);
        }
      }
      if (i % 511 == 0) {
        ASSERT_TRUE(straight->ForgetUnknown({}).ok());
        ASSERT_TRUE(stopped->ForgetUnknown({}).ok());
      }
      if (i % 130 != 0) continue;
      stopped->Save(state);
      stopped = NewMode(plan, random, payloads);
      ASSERT_TRUE(stopped->Load(state).ok());
    }
    EXPECT_EQ(straight->model(), stopped->model());
    EXPECT_EQ(straight->anchor(), stopped->anchor());
    EXPECT_GT(straight->anchor().value, 2000);
    // The marks are those of the horizon alone: 32 bytes each, one at every draw besides.
    EXPECT_LT(state.parts[Part::kMarks].size(), 32u * 30);
  }
}

Status Refused(Spec spec) { return Plan::Make(spec).status(); }

TEST(HorizonSpecTest, RefusesWhatCannotBeKept) {
  Spec spec = Fading();
  spec.forgetting.retention.events = 600;
  Status status = Refused(spec);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("at least 768"), std::string::npos) << status.message();
  spec = Fading();
  spec.learning.schedule = ScheduleKind::kInverseTime;
  EXPECT_FALSE(Refused(spec).ok());
  spec = Fading();
  spec.forgetting.split = Split::kZeta;
  EXPECT_FALSE(Refused(spec).ok());
  for (const char* mode : {"active", "noisy", "restart", "none"}) {
    spec = Fading();
    spec.forgetting.mode = mode;
    EXPECT_FALSE(Refused(spec).ok()) << mode;
    spec.forgetting.retention = {.all = true, .events = 0};
    EXPECT_TRUE(Refused(spec).ok()) << mode << ": " << Refused(spec).message();
    spec.forgetting.retention = {};
    EXPECT_TRUE(Refused(spec).ok()) << mode;
    spec.forgetting.shrink.off = true;
    EXPECT_TRUE(Refused(spec).ok()) << mode;
    spec.forgetting.shrink = {.off = false, .norm = 1};
    EXPECT_FALSE(Refused(spec).ok()) << mode;
  }
}

TEST(HorizonSpecTest, AutoIsTheHorizonOfTheSchedule) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  const auto horizon = [&] {
    const Plan plan = Plan::Make(spec).value();
    return Horizon::Of(plan.spec, plan.constants, plan.schedule).value();
  };
  EXPECT_GT(horizon().fades, 47 * 15);
  EXPECT_EQ(horizon().period, 1 << 18);
  EXPECT_EQ(horizon().why, nullptr);
  spec.learning.schedule = ScheduleKind::kInverseSqrt;
  EXPECT_EQ(horizon().period, 1 << 18);
  spec.learning.schedule = ScheduleKind::kInverseTime;
  EXPECT_EQ(horizon().period, 0);
  EXPECT_NE(horizon().why, nullptr);
  spec.learning.schedule = ScheduleKind::kConstant;
  spec.model.lambda = 1e-6;
  EXPECT_GT(horizon().period, 1'000'000);
}

// The defaults of mode passive are not written, so that old states stay valid.
TEST(HorizonSpecTest, TheCertificatePartNamesWhatIsStated) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  EXPECT_EQ(CertificatePart(spec).find("retention"), std::string::npos);
  EXPECT_EQ(CertificatePart(spec).find("shrink"), std::string::npos);
  spec.forgetting.retention.all = true;
  spec.forgetting.shrink.off = true;
  EXPECT_NE(CertificatePart(spec).find("\"retention\":\"all\",\"shrink\":\"off\""),
            std::string::npos);
  spec.forgetting.shrink = {.off = false, .norm = 2.5};
  EXPECT_NE(CertificatePart(spec).find("\"shrink\":2.5"), std::string::npos);
}

}  // namespace
}  // namespace lethe::testing::horizon_test
