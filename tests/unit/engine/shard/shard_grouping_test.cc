// When rewinds happen: a lone request at its record, others together after a pause, long ones on a
// copy; and a shard that obeys what another one has recorded.

#include "engine/shard/recorded_decisions.h"
#include "state/durable_state.h"
#include "state/store/memory_store.h"
#include "tests/support/shard_fixture.h"

namespace lethe::testing::shard_grouping_test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

class ShardGrouping : public ShardFixture {
 protected:
  ShardGrouping() {
    spec.forgetting.mode = "rewind";
    spec.forgetting.retention.events = 200;
  }

  // A rewind of an event takes a millisecond for each position: 42 ns by the constants.
  void StartLive(std::int64_t longest_ms = 1000) {
    Start();
    pace = {.pause = 5, .longest_ns = longest_ms * kMs, .slowness = kMs / 42};
    shard->SetPace(pace);
  }
  void At(std::int64_t ms) {
    now_ms = ms;
    shard->SetTime(ms * kMs);
  }
  void Tick(std::int64_t ms) {
    At(ms);
    ASSERT_TRUE(runner->ServeByTimer({{1'000'000 + ms}, ms}, false).ok());
    if (shard->has_news()) {
      ASSERT_TRUE(runner->Commit().ok());
    }
  }
  void LearnOthers(int count) {
    for (int i = 0; i < count; ++i) Learn("other-" + std::to_string(others++));
  }
  // For each entry: n(otice) or what decided on the receipt.
  std::string Kinds() {
    std::string kinds;
    for (std::size_t k = 0; k < sink.published.size(); ++k) {
      kinds +=
          sink.published[k].kind == ChainKind::kNotice ? "n " : Receipt(k, "effective/by") + " ";
    }
    return kinds;
  }
  std::string Last(const std::string& path) { return Receipt(sink.published.size() - 1, path); }

  RewindPolicy pace;
  std::int64_t now_ms = 0;
  int others = 0;
};

TEST_F(ShardGrouping, ALoneRequestTakesEffectAtItsRecord) {
  StartLive();
  LearnOthers(10);
  At(5);
  Delete("other-3");
  EXPECT_EQ(Kinds(), "stream ");
  EXPECT_EQ(Last("effective/offset"), Last("received/offset"));
  EXPECT_EQ(Last("statement").find("still carried"), std::string::npos);
}

// The first rewind passes all 100 positions, since no checkpoint is that old: its pause is half a
// second.
TEST_F(ShardGrouping, RequestsOfAPauseShareTheFirstRecordAfterIt) {
  StartLive();
  LearnOthers(100);
  At(0);
  Delete("other-3");
  At(100);
  Delete("other-4");
  EXPECT_EQ(Receipt(1, "status"), "received");
  EXPECT_EQ(payloads.count(), 98);  // the payload is gone at once
  Delete("other-5");
  At(400);
  LearnOthers(1);
  EXPECT_EQ(Kinds(), "stream n n ");
  At(600);
  LearnOthers(1);
  EXPECT_EQ(Kinds(), "stream n n group group ");
  EXPECT_EQ(Receipt(3, "effective/offset"), "104");
  EXPECT_EQ(Receipt(4, "effective/model_version"), Receipt(3, "effective/model_version"));
  EXPECT_NE(Last("statement").find("still carried"), std::string::npos);
  EXPECT_EQ(shard->counters().draws, 2);
}

// While records wait to be read, more requests share a rewind; once none waits, the pause is over.
TEST_F(ShardGrouping, UnderLoadThePauseIsLonger) {
  StartLive();
  pace.pause_under_load = 16;
  shard->SetPace(pace);
  LearnOthers(100);
  shard->SetTime(0, true);
  Delete("other-3");
  shard->SetTime(1500 * kMs, true);
  Delete("other-4");
  EXPECT_EQ(Kinds(), "stream n ");
  shard->SetTime(1501 * kMs, false);
  LearnOthers(1);
  EXPECT_EQ(Kinds(), "stream n group ");
  shard->SetTime((1501 + 1600 + 20) * kMs, true);
  Delete("other-5");
  EXPECT_EQ(Last("effective/by"), "stream");
}

TEST_F(ShardGrouping, TheLastOfAGroupMayNotHaveWaited) {
  StartLive();
  LearnOthers(100);
  At(0);
  Delete("other-3");
  At(1);
  Delete("other-4");
  At(700);
  Delete("other-5");
  EXPECT_EQ(Kinds(), "stream n group stream ");
}

TEST_F(ShardGrouping, TheClockServesThemOnASilentStream) {
  StartLive();
  LearnOthers(100);
  At(0);
  Delete("other-3");
  Delete("other-4");
  Tick(400);
  EXPECT_EQ(Kinds(), "stream n ");
  Tick(600);
  EXPECT_EQ(Kinds(), "stream n group ");
  EXPECT_EQ(Last("effective/offset"), "101");
  EXPECT_EQ(Last("effective/timestamp"), "1001000");  // a whole second of the clock
  EXPECT_NE(Last("statement").find("still carried"), std::string::npos);
}

TEST_F(ShardGrouping, AnUpdateWaitsTooAndItsNewVersionIsLearned) {
  StartLive();
  LearnOthers(100);
  At(0);
  Delete("other-3");
  Update("other-4");
  EXPECT_EQ(shard->counters().updates, 1);
  EXPECT_EQ(Kinds(), "stream n ");
  At(700);
  LearnOthers(1);
  EXPECT_EQ(Kinds(), "stream n group ");
}

TEST_F(ShardGrouping, AfterASlideNothingIsLeftToRewind) {
  StartLive();
  LearnOthers(195);
  At(0);
  Delete("other-90");
  Delete("other-91");
  EXPECT_EQ(Kinds(), "stream n ");
  LearnOthers(5);
  EXPECT_EQ(Kinds(), "stream n n group ");  // the notice of the slide, then the receipt
  EXPECT_EQ(shard->counters().draws, 2);
}

TEST_F(ShardGrouping, TheEndOfARunEndsThePause) {
  StartLive();
  LearnOthers(100);
  At(0);
  Delete("other-3");
  Delete("other-4");
  ASSERT_TRUE(shard->ServeDeferred({{1000}, 1}).ok());
  ASSERT_TRUE(runner->Commit().ok());
  EXPECT_EQ(Kinds(), "stream n group ");
}

TEST_F(ShardGrouping, ALongRewindRunsOnACopy) {
  StartLive(20);
  LearnOthers(150);
  At(0);
  Delete("other-3");
  EXPECT_EQ(Kinds(), "n ");
  Tick(1);
  std::int64_t ms = 10;
  for (; shard->waiting() > 0 && ms < 1000; ms += 10) {
    LearnOthers(ms % 50 == 0 ? 1 : 0);
    Tick(ms);
  }
  EXPECT_EQ(Kinds(), "n group ");
  EXPECT_GT(ms, 200);  // at most half of the time goes to it
  EXPECT_LT(ms, 500);
  EXPECT_EQ(shard->unlearner().RewindNs(), 0);
}

TEST_F(ShardGrouping, ADeadlineCountsFirst) {
  spec.forgetting.deadline.events = 5;
  StartLive();
  LearnOthers(100);
  At(0);
  Delete("other-3");
  LearnOthers(5);
  EXPECT_EQ(Kinds(), "n stream ");
  Delete("other-4");
  LearnOthers(5);
  EXPECT_EQ(Kinds(), "n stream n ");
  EXPECT_TRUE(shard->is_deferred());
  At(700);
  LearnOthers(1);
  EXPECT_EQ(Kinds(), "n stream n group ");
}

TEST_F(ShardGrouping, WithoutAPaceEveryRequestTakesEffectAtItsRecord) {
  LearnOthers(100);
  for (int i = 0; i < 20; ++i) Delete("other-" + std::to_string(i));
  EXPECT_EQ(Kinds().find("group"), std::string::npos);
  EXPECT_EQ(Kinds().find("n "), std::string::npos);
}

TEST_F(ShardGrouping, ARestartServesWhatWaited) {
  MemoryStore store;
  auto first = DurableState::Open(store, nullptr).value();
  random = std::make_unique<SeededRandom>(spec.noise.seed);
  const Plan plan = Plan::Make(spec).value();
  const ShardIdentity identity = ShardIdentity::New({0}, *random);
  {
    shard = std::make_unique<Shard>(
        plan, identity, ShardPorts{*first, first->payloads(), sink, probe, hasher, *random});
    runner = std::make_unique<RecordFeeder>(*shard, hooks);
    ASSERT_TRUE(shard->Resume().ok());
    shard->SetPace({.pause = 5, .longest_ns = 1000 * kMs, .slowness = kMs / 42});
    LearnOthers(100);
    At(0);
    Delete("other-3");
    Delete("other-4");
    EXPECT_EQ(Kinds(), "stream n ");
    ASSERT_TRUE(first->WaitForWrites().ok());
  }
  const auto second = DurableState::Open(store, nullptr).value();
  shard = std::make_unique<Shard>(
      plan, identity, ShardPorts{*second, second->payloads(), sink, probe, hasher, *random});
  runner = std::make_unique<RecordFeeder>(*shard, hooks);
  ASSERT_TRUE(shard->Resume().ok());
  shard->SetPace(pace);
  EXPECT_EQ(shard->waiting(), 1u);
  Tick(1);
  EXPECT_EQ(Kinds(), "stream n group ");
}

class ShardObeys : public ShardGrouping {
 protected:
  // A shard for which the requests of offsets 10 and 11 took effect together.
  RecordedDecisions Grouped(std::int64_t index, std::int64_t version, Offset at = {12}) {
    RecordedDecisions record("the end");
    record.AddWait({10}, "line 1");
    record.AddWait({11}, "line 2");
    record.Add({.kind = RecordedDecision::Kind::kServe,
                .place = "line 3",
                .offset = at,
                .time = {77},
                .before = {},
                .index = index,
                .model_version = {version},
                .by = EffectiveBy::kGroup,
                .received = {{10}, {11}}});
    return record;
  }
  // Ten events, two deletions, two events.
  Status Feed13(RecordedDecisions& record) {
    offset = 0;
    state = FaultyState();
    payloads = MemoryPayloads();
    sink.published.clear();
    Start();
    shard->Obey(&record);
    for (int i = 0; i < 14; ++i) {
      const bool is_request = i == 10 || i == 11;
      const auto kind = is_request ? EventKind::kDelete : EventKind::kLearn;
      LETHE_RETURN_IF_ERROR(Feed(Make(kind, "e-" + std::to_string(is_request ? i - 9 : i), {})));
      LETHE_RETURN_IF_ERROR(runner->Obey());
    }
    LETHE_RETURN_IF_ERROR(shard->CheckRecorded({1000}));
    return record.CheckEnd();
  }
};

TEST_F(ShardObeys, WhatWasRecorded) {
  RecordedDecisions record = Grouped(11, 13);
  ASSERT_TRUE(Feed13(record).ok());
  EXPECT_EQ(Kinds(), "n n group group ");
  EXPECT_EQ(Last("effective/offset"), "12");
  EXPECT_EQ(Last("effective/timestamp"), "77");
}

TEST_F(ShardObeys, ARecordOfAnotherStreamIsRefusedWithItsPlace) {
  RecordedDecisions other_index = Grouped(9, 13);
  EXPECT_NE(Feed13(other_index).message().find("line 3: says what took effect at offset 12"),
            std::string::npos);
  RecordedDecisions other_version = Grouped(11, 14);
  EXPECT_NE(Feed13(other_version).message().find("line 3: has model version 14"),
            std::string::npos);
  RecordedDecisions too_late = Grouped(11, 13, {99});
  EXPECT_NE(Feed13(too_late).message().find("line 3"), std::string::npos);
  RecordedDecisions without_request("the end");
  without_request.AddWait({5}, "line 1");
  EXPECT_NE(Feed13(without_request).message().find("line 1: says that a request waited"),
            std::string::npos);
  RecordedDecisions empty("the end");
  EXPECT_NE(Feed13(empty).message().find("the end: nothing says when the request of offset 10"),
            std::string::npos);
}

}  // namespace
}  // namespace lethe::testing::shard_grouping_test
