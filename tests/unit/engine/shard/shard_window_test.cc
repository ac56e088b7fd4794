// Windows in event time: when they slide, what a slide says, and what an expired subject may send
// again.

#include <gtest/gtest.h>

#include "app/run/live_probe.h"
#include "tests/support/passive_spec.h"
#include "tests/support/shard_fixture.h"

namespace lethe::testing::shard_window_test {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kStart = 1'700'000'000'000;
constexpr std::int64_t kFuture = 4'070'908'800'000;  // 2099

class ShardWindow : public ShardFixture {
 protected:
  ShardWindow() {
    spec.forgetting.mode = "rewind";
    spec.forgetting.retention = {.time_ms = 20 * kSecond};
  }

  // A record `seconds` after the beginning, as a live run takes it.
  void At(double seconds, EventKind kind, std::optional<std::string> id,
          std::optional<std::string> subject = {}) {
    Record record = Make(kind, std::move(id), std::move(subject));
    record.timestamp = {kStart + static_cast<std::int64_t>(seconds * kSecond)};
    Take(record);
  }
  void Take(Record record) { ASSERT_TRUE(Feed(record).ok()); }
  void LearnAt(double seconds) { At(seconds, EventKind::kLearn, {}); }
  void Tick(double seconds, bool is_silent) {
    const std::int64_t ms = static_cast<std::int64_t>(seconds * kSecond);
    ASSERT_TRUE(runner->ServeByTimer({.wall = {kStart + ms}, .steady_ms = ms}, is_silent).ok());
    if (shard->has_news()) {
      ASSERT_TRUE(runner->Commit().ok());
    }
  }
  std::int64_t Oldest() const { return shard->Report().oldest_influence.value; }
  std::string Last(const std::string& path) { return Receipt(sink.published.size() - 1, path); }
  bool Says(const std::string& words) const {
    return sink.published.back().bytes.find(words) != std::string::npos;
  }
};

TEST_F(ShardWindow, SlidesAtTheRecordThatMakesItTwiceAsLong) {
  for (const double seconds : {0.0, 9.0, 10.0, 12.0, 19.999}) LearnAt(seconds);
  EXPECT_EQ(Oldest(), 0);
  EXPECT_EQ(shard->Report().oldest_influence_time, TimeMs{kStart});
  EXPECT_TRUE(sink.published.empty());
  LearnAt(20);
  EXPECT_EQ(Oldest(), 2) << "the first event that came a window or more after the first";
  EXPECT_EQ(payloads.count(), 4);
  EXPECT_EQ(shard->Report().oldest_influence_time, TimeMs{kStart + 10 * kSecond});
  EXPECT_EQ(shard->Report().slides, 1);
  EXPECT_EQ(shard->Report().retention, "20s");
  EXPECT_EQ(shard->model_version().value, 7) << "six events and a slide";
  ASSERT_EQ(sink.published.size(), 1u);
  EXPECT_EQ(Last("status"), "expired");
  EXPECT_EQ(Last("before"), "2");
  EXPECT_EQ(Last("arrived_before"), std::to_string(kStart + 10 * kSecond));
  EXPECT_EQ(Last("retained"), "3") << "the record that moved the clock is learned afterwards";
  EXPECT_EQ(Last("model_version"), "6");
  EXPECT_EQ(Last("offset"), "5");
  EXPECT_EQ(Last("by"), "stream");
  LearnAt(29.9);
  EXPECT_EQ(Oldest(), 2);
  LearnAt(30);
  EXPECT_EQ(Oldest(), 5) << "the event at 20 s is the first at or after 10 s + a window";
}

TEST_F(ShardWindow, ARequestMovesItToo) {
  LearnAt(0);
  LearnAt(15);
  At(20, EventKind::kDelete, "unknown");
  EXPECT_EQ(Oldest(), 1);
  EXPECT_EQ(Last("outcome"), "not_retained");
  EXPECT_EQ(Last("expired/before"), "1");
  EXPECT_EQ(Last("expired/arrived_before"), std::to_string(kStart + 15 * kSecond));
  EXPECT_TRUE(
      Says("learned before index 1, and so every event that arrived before "
           "2023-11-14T22:13:35.000Z, are in no model since version 3."));
}

TEST_F(ShardWindow, IsEmptyAfterALongPauseAndTheNoticeSaysSo) {
  for (const double seconds : {0.0, 5.0, 12.0}) LearnAt(seconds);
  LearnAt(1000);
  EXPECT_EQ(Oldest(), 3);
  EXPECT_EQ(payloads.count(), 1);
  EXPECT_EQ(Last("before"), "3");
  EXPECT_EQ(Last("retained"), "0");
  EXPECT_EQ(Last("arrived_before"), std::to_string(kStart + 1000 * kSecond));
  EXPECT_EQ(shard->Report().oldest_influence_time, TimeMs{kStart + 1000 * kSecond});
  LearnAt(1019.9);
  EXPECT_EQ(Oldest(), 3) << "the new window began with the event after the pause";
}

TEST_F(ShardWindow, SlidesByTheClockInSilenceOnly) {
  spec.erase_within_ms = 1000 * 1000 * kSecond;
  for (const double seconds : {0.0, 5.0, 12.0}) LearnAt(seconds);
  Tick(20.5, false);
  EXPECT_EQ(Oldest(), 0);
  Tick(18.9, true);
  EXPECT_EQ(Oldest(), 0);
  Tick(20.5, true);
  EXPECT_EQ(Oldest(), 2);
  EXPECT_EQ(payloads.count(), 1);
  EXPECT_EQ(shard->model_version().value, 4);
  EXPECT_EQ(Last("by"), "timer");
  EXPECT_EQ(Last("timestamp"), std::to_string(kStart + 21 * kSecond)) << "in whole seconds";
  EXPECT_EQ(Last("offset"), "2");
  Tick(32, true);
  EXPECT_EQ(Oldest(), 3);
  EXPECT_EQ(Last("retained"), "0");
  EXPECT_EQ(shard->Report().oldest_influence_time, std::nullopt);
  const std::size_t entries = sink.published.size();
  Tick(1000, true);
  EXPECT_EQ(sink.published.size(), entries) << "an empty window has nothing to lose";
}

TEST_F(ShardWindow, ASlideByTheClockCanBeRepeated) {
  const auto feed = [&] {
    offset = 0;
    for (const double seconds : {0.0, 5.0, 12.0}) LearnAt(seconds);
  };
  feed();
  Tick(20.5, true);
  const std::string decided = sink.published.back().bytes;
  StartAnew();
  payloads.DropBefore({3});
  payloads = {};
  feed();
  EXPECT_EQ(shard->SlideAt({1}, {kStart + 21 * kSecond}).code(), ErrorCode::kInput);
  StartAnew();
  payloads = {};
  feed();
  ASSERT_TRUE(shard->SlideAt({2}, {kStart + 21 * kSecond}).ok());
  ASSERT_TRUE(runner->Commit().ok());
  EXPECT_EQ(sink.published.back().bytes, decided);
  EXPECT_EQ(shard->SlideAt({2}, {kStart + 21 * kSecond}).code(), ErrorCode::kInput);
}

TEST_F(ShardWindow, ATimestampFromTheFutureNeitherExpiresNorStopsExpiry) {
  LearnAt(0);
  Record record = Make(EventKind::kLearn, "ahead", {});
  record.timestamp = {kFuture};
  const TimeMs arrival{kStart + 5 * kSecond};
  ASSERT_TRUE(shard->ArrivalDecides(record.timestamp, arrival));
  record.arrival = arrival;
  Take(record);
  EXPECT_EQ(Oldest(), 0);
  LearnAt(15);
  EXPECT_EQ(Oldest(), 0);
  LearnAt(20);
  EXPECT_EQ(Oldest(), 2);
}

TEST_F(ShardWindow, WithoutTimestampsNothingExpiresAndReceiptsSaySo) {
  for (int i = 0; i < 50; ++i) Learn("e" + std::to_string(i), "s");
  EXPECT_TRUE(shard->Report().lacks_clock);
  Delete("e3");
  EXPECT_TRUE(Says("no record so far carried a timestamp"));
  LearnAt(0);
  EXPECT_FALSE(shard->Report().lacks_clock);
  Delete("e4");
  EXPECT_FALSE(Says("no record so far carried a timestamp"));
  LearnAt(20);
  EXPECT_EQ(Oldest(), 51) << "earlier events count as learned at the first known time";
}

TEST_F(ShardWindow, WindowsInEventsSayTheTimeToo) {
  spec.forgetting.retention = {.events = 4};
  for (const double seconds : {0.0, 1.0, 2.0, 3.0}) LearnAt(seconds);
  EXPECT_EQ(Last("before"), "2");
  EXPECT_EQ(Last("arrived_before"), std::to_string(kStart + 2 * kSecond));
  EXPECT_EQ(shard->Report().oldest_influence_time, TimeMs{kStart + 2 * kSecond});
  EXPECT_EQ(shard->Report().retention, "4");
}

// The resurrection of an expired person: a delete by subject, and then the old event again.
TEST_F(ShardWindow, AnOldEventOfADeletedSubjectIsRefused) {
  At(0, EventKind::kLearn, "old", "anna");
  LearnAt(30);
  At(31, EventKind::kDelete, {}, "anna");
  ASSERT_EQ(Last("outcome"), "not_retained");
  EXPECT_TRUE(Says(
      "Old events of this person, whose ids are no longer known, that are sent again without"));
  At(0, EventKind::kLearn, "old", "anna");
  At(31, EventKind::kLearn, "as old as the request", "anna");
  At(30, EventKind::kUpdate, "an update", "anna");
  EXPECT_EQ(shard->counters().refused_late, 3);
  At(31.001, EventKind::kLearn, "new", "anna");
  At(0, EventKind::kLearn, "another person's", "bert");
  EXPECT_EQ(shard->counters().refused_late, 3);
  EXPECT_EQ(shard->counters().learned, 4);
}

TEST_F(ShardWindow, TheRuleEndsWithRefuseLateFor) {
  spec.refuse_late_for_ms = 60 * kSecond;
  LearnAt(0);
  At(31, EventKind::kDelete, {}, "anna");
  LearnAt(91.001);
  At(30, EventKind::kLearn, "old", "anna");
  EXPECT_EQ(shard->counters().refused_late, 0);
}

TEST_F(ShardWindow, OnlyTimestampsOfProducersCount) {
  Record request = Make(EventKind::kDelete, {}, "anna");
  request.timestamp = {kStart};
  request.is_broker_time = true;
  Take(request);
  EXPECT_TRUE(Says("this request carries no timestamp of its producer"));
  At(-5, EventKind::kLearn, "old", "anna");
  EXPECT_EQ(shard->counters().refused_late, 0);

  At(1, EventKind::kDelete, {}, "bert");
  Record learn = Make(EventKind::kLearn, "of the broker", "bert");
  learn.timestamp = {kStart};
  learn.is_broker_time = true;
  Take(learn);
  Learn("without a timestamp", "bert");
  EXPECT_EQ(shard->counters().refused_late, 0);
  At(1, EventKind::kLearn, "old", "bert");
  EXPECT_EQ(shard->counters().refused_late, 1);
}

TEST_F(ShardWindow, ARequestFromTheFutureDoesNotRefuseThePresent) {
  LearnAt(0);
  Record request = Make(EventKind::kDelete, {}, "anna");
  request.timestamp = {kFuture};
  request.arrival = {kStart + kSecond};
  Take(request);
  At(1, EventKind::kLearn, "old", "anna");
  EXPECT_EQ(shard->counters().refused_late, 1);
  At(2, EventKind::kLearn, "new", "anna");
  EXPECT_EQ(shard->counters().refused_late, 1);
}

TEST_F(ShardWindow, ModesWithoutAWindowKeepTheirRule) {
  spec.forgetting = {};
  spec.forgetting.mode = "retrain";
  At(0, EventKind::kLearn, "old", "anna");
  At(5, EventKind::kDelete, {}, "anna");
  At(1, EventKind::kLearn, "another", "anna");
  EXPECT_EQ(shard->counters().refused_late, 0);
  EXPECT_FALSE(Says("Old events"));
}

// The refusal of a deleted id ends before its record leaves the window.
TEST_F(ShardWindow, ADeletedIdIsADuplicateWhileItsRecordIsInTheWindow) {
  spec.refuse_late_for_ms = kSecond;
  At(0, EventKind::kLearn, "a");
  At(1, EventKind::kDelete, "a");
  LearnAt(12);
  At(13, EventKind::kLearn, "a");
  EXPECT_EQ(shard->counters().duplicates, 1);
  LearnAt(20.1);
  ASSERT_EQ(Oldest(), 1);
  At(25, EventKind::kLearn, "a");
  EXPECT_EQ(shard->counters().duplicates, 2) << "it came after the event at 12 s, the anchor";
  LearnAt(32);
  ASSERT_EQ(Oldest(), 3);
  At(33, EventKind::kLearn, "a");
  EXPECT_EQ(shard->counters().duplicates, 2);
  EXPECT_EQ(shard->counters().learned, 5);
}

TEST(LiveProbeExpiry, LossesAndSnapshotsRestartAtASlideAndAtARequestThatMayNameAnExpiredEvent) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 1;
  spec.forgetting.mode = "rewind";
  LiveProbe probe(Plan::Make(spec).value());
  const Example example{Vector::Ones(1), 1, {}};
  probe.OnLearn({0}, {.index = {0}, .prediction = 0, .squared_norm = 0, .example = example});
  probe.OnExpired({0});
  ShardReport report;
  probe.AddTo(report);
  EXPECT_EQ(report.loss_events, 0);
  EXPECT_EQ(report.loss_total, 0);
  EXPECT_EQ(probe.TakeFirstForgotten(), EventIndex{0}) << "every snapshot goes";
}

}  // namespace
}  // namespace lethe::testing::shard_window_test
