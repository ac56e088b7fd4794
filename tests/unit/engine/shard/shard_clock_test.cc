// Event time and the clocks of the machine: timestamps from the future, and clocks that jump.

#include <gtest/gtest.h>

#include "state/durable_state.h"
#include "state/store/memory_store.h"
#include "tests/support/shard_fixture.h"

namespace lethe::testing::shard_clock_test {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kStart = 1'700'000'000'000;
constexpr std::int64_t kMicroseconds = kStart * 1000;  // taken for milliseconds

class ShardClock : public ShardFixture {
 protected:
  ShardClock() { spec.erase_within_ms = kHour; }

  // A record that arrives now, as a live run takes it.
  Status Arrive(Record record) {
    if (!shard) Start();
    const TimeMs arrival = clock.wall;
    if (shard->ArrivalDecides(record.timestamp, arrival)) record.arrival = arrival;
    taken.push_back(record);
    return Feed(record);
  }
  void Arrive(EventKind kind, const std::string& id, std::int64_t timestamp) {
    Record record = Make(kind, id, {});
    record.timestamp = {timestamp};
    ASSERT_TRUE(Arrive(record).ok());
  }
  void Learn(std::int64_t timestamp) {
    Arrive(EventKind::kLearn, "other-" + std::to_string(others_++), timestamp);
  }

  void Pass(std::int64_t ms) {
    clock.wall.value += ms;
    clock.steady_ms += ms;
  }
  void Tick(bool is_silent) {
    ASSERT_TRUE(runner->ServeByTimer(clock, is_silent).ok());
    if (shard->has_news()) {
      ASSERT_TRUE(runner->Commit().ok());
    }
  }

  // How many entries of this status, or receipts of this outcome, were published.
  int Count(const std::string& what) {
    int count = 0;
    for (std::size_t k = 0; k < sink.published.size(); ++k) {
      count += Receipt(k, "status") == what || Receipt(k, "outcome") == what ? 1 : 0;
    }
    return count;
  }
  std::string Last(const std::string& path) { return Receipt(sink.published.size() - 1, path); }

  ClockReading clock{.wall = {kStart}, .steady_ms = 77};
  std::vector<Record> taken;

 private:
  int others_ = 0;
};

TEST_F(ShardClock, ARecordFromTheFutureDoesNotStopEventTime) {
  spec.forgetting.deadline.event_time_ms = 10 * kSecond;
  for (const std::int64_t ahead : {58 * kMinute, kMicroseconds - kStart}) {
    const int before = Count("forgotten");
    const std::string id = std::to_string(ahead);
    Arrive(EventKind::kLearn, id, clock.wall.value);
    Learn(clock.wall.value + ahead);
    Arrive(EventKind::kDelete, id, clock.wall.value);
    Pass(9 * kSecond);
    Learn(clock.wall.value);
    EXPECT_EQ(Count("forgotten"), before);
    Pass(kSecond);
    Learn(clock.wall.value);
    EXPECT_EQ(Count("forgotten"), before + 1) << ahead;
    EXPECT_EQ(Last("effective/by"), "stream");
  }
}

TEST_F(ShardClock, ARefusalOutlivesARecordFromTheFuture) {
  spec.refuse_late_for_ms = kHour;
  Arrive(EventKind::kLearn, "a", clock.wall.value);
  Arrive(EventKind::kDelete, "a", clock.wall.value);
  Learn(kMicroseconds);
  Arrive(EventKind::kLearn, "a", clock.wall.value);
  EXPECT_EQ(shard->counters().refused_late, 1);
}

TEST_F(ShardClock, ANoticeSaysThatTheArrivalDecided) {
  Learn(kStart);
  Pass(5 * kSecond);
  Learn(kMicroseconds);
  ASSERT_EQ(Count("clock"), 1);
  EXPECT_EQ(Last("offset"), "1");
  EXPECT_EQ(Last("timestamp"), std::to_string(kMicroseconds));
  EXPECT_EQ(Last("arrival"), std::to_string(kStart + 5 * kSecond));
  EXPECT_EQ(shard->Report().last_event, TimeMs{kStart + 5 * kSecond});
}

TEST_F(ShardClock, ClocksThatDifferByASecondNeedNoNotice) {
  for (int i = 0; i < 10; ++i, Pass(kSecond)) Learn(clock.wall.value + kSecond);
  EXPECT_EQ(Count("clock"), 0);
}

// Otherwise the chain would grow with the records.
TEST_F(ShardClock, AProducerThatIsAlwaysAheadCostsOneNoticeAMinute) {
  for (int i = 0; i < 10 * 60 * 10; ++i, Pass(100)) Learn(clock.wall.value + kHour);
  EXPECT_LE(Count("clock"), 10);
  EXPECT_GE(shard->Report().last_event->value, clock.wall.value - kMinute - kSecond);
  EXPECT_LE(shard->Report().last_event->value, clock.wall.value);
}

TEST_F(ShardClock, TwoProducersAheadByDifferentTimesAreBothBounded) {
  for (int i = 0; i < 600; ++i, Pass(100)) {
    Learn(clock.wall.value);
    Learn(kMicroseconds + i);
    Learn(clock.wall.value + kHour);
    Learn(clock.wall.value + 5 * kSecond);
    ASSERT_LE(shard->Report().last_event->value, clock.wall.value + TimeBound::kSkewMs);
  }
  EXPECT_LE(Count("clock"), 10);
}

TEST_F(ShardClock, TimesThatWereAheadCountOnceTheyHaveCome) {
  Learn(kStart + kHour);
  Pass(2 * kHour);
  Learn(clock.wall.value);
  EXPECT_EQ(shard->Report().last_event, clock.wall);
}

TEST_F(ShardClock, AReplayWithTheRecordedArrivalsMakesTheSameDecisions) {
  spec.forgetting.deadline.event_time_ms = 7 * kSecond;
  spec.erase_within_ms = 20 * kSecond;
  spec.refuse_late_for_ms = 30 * kSecond;
  for (int i = 0; i < 300; ++i, Pass(700)) {
    Learn(i % 7 == 3 ? kMicroseconds : clock.wall.value + (i % 5 == 1 ? 58 * kMinute : 0));
    const std::string id = "e" + std::to_string(i / 10);
    if (i % 10 == 0) Arrive(EventKind::kLearn, id, clock.wall.value - i);
    if (i % 10 == 4) Arrive(EventKind::kDelete, id, clock.wall.value + (i % 3) * kHour);
  }
  const std::vector<Published> live = sink.published;
  ASSERT_GE(Count("forgotten"), 20);
  ASSERT_GE(Count("erased"), 20);
  ASSERT_GE(Count("clock"), 2);
  StartAnew();
  sink.published.clear();
  for (const Record& record : taken) ASSERT_TRUE(Feed(record).ok());
  ASSERT_EQ(sink.published.size(), live.size());
  for (std::size_t k = 0; k < live.size(); ++k) EXPECT_EQ(sink.published[k].bytes, live[k].bytes);
}

TEST_F(ShardClock, TheClockServesADeadlineWhileRecordsComeWithOldTimestamps) {
  spec.forgetting.deadline.event_time_ms = 10 * kSecond;
  Arrive(EventKind::kLearn, "a", kStart - kHour);
  Arrive(EventKind::kDelete, "a", kStart - kHour);
  for (int i = 0; i < 110; ++i, Pass(100)) {
    Learn(kStart - kHour);
    Tick(false);
    EXPECT_EQ(Count("forgotten"), 0) << i;
  }
  Learn(kStart - kHour);
  Tick(false);
  EXPECT_EQ(Count("forgotten"), 1);
  EXPECT_EQ(Last("effective/by"), "timer");
}

TEST_F(ShardClock, TheClockServesADeadlineOfAStreamWithoutTimestamps) {
  spec.forgetting.deadline.event_time_ms = 10 * kSecond;
  Arrive(EventKind::kLearn, "a", kNoTime.value);
  Arrive(EventKind::kDelete, "a", kNoTime.value);
  Tick(true);
  Pass(10 * kSecond);
  Tick(true);
  EXPECT_EQ(Count("forgotten"), 1);
}

TEST_F(ShardClock, InSilenceTheAgeOfARequestCounts) {
  spec.forgetting.deadline.event_time_ms = kHour;
  Arrive(EventKind::kLearn, "a", kStart - 2 * kHour);
  Arrive(EventKind::kDelete, "a", kStart - 2 * kHour);
  Tick(false);
  EXPECT_EQ(Count("forgotten"), 0);
  Tick(true);
  EXPECT_EQ(Count("forgotten"), 1);
}

TEST_F(ShardClock, WhatTheClockDecidedCarriesItsTimeInWholeSeconds) {
  spec.forgetting.deadline.event_time_ms = 10 * kSecond;
  Arrive(EventKind::kLearn, "a", kStart);
  Arrive(EventKind::kDelete, "a", kStart);
  Tick(false);
  Pass(10 * kSecond + 1);
  Tick(true);
  ASSERT_EQ(Count("forgotten"), 1);
  EXPECT_EQ(Last("received/timestamp"), std::to_string(kStart));
  EXPECT_EQ(Last("effective/timestamp"), std::to_string(kStart + 11 * kSecond));
  Tick(true);
  Pass(kHour);
  Tick(true);
  ASSERT_EQ(Count("erased"), 1);
  EXPECT_EQ(Last("by"), "timer");
  EXPECT_EQ(Last("timestamp"), std::to_string(kStart + kHour + 11 * kSecond));
}

TEST_F(ShardClock, DurationsAreThoseOfReceiptsAndNoticesInWholeSeconds) {
  spec.forgetting.deadline.event_time_ms = 2 * kSecond;
  spec.erase_within_ms = 20 * kSecond;
  Arrive(EventKind::kLearn, "a", kStart);
  Arrive(EventKind::kDelete, "a", kStart);
  Pass(1900);
  Arrive(EventKind::kLearn, "b", clock.wall.value);
  Arrive(EventKind::kDelete, "b", clock.wall.value);
  EXPECT_TRUE(probe.effective.empty());
  Pass(5000);
  Learn(clock.wall.value);
  ASSERT_EQ(Count("forgotten"), 2);
  EXPECT_EQ(probe.effective, (std::vector<std::int64_t>{7, 5}));  // 6.9 s and 5 s
  EXPECT_TRUE(probe.erased.empty());
  Pass(10'000);
  Learn(clock.wall.value);
  Pass(1000);
  Learn(clock.wall.value);
  ASSERT_EQ(Count("erased"), 2);
  EXPECT_EQ(Last("timestamp"), std::to_string(kStart + 6900));  // of the record before
  EXPECT_EQ(probe.erased, (std::vector<std::int64_t>{7, 5}));
}

TEST_F(ShardClock, DurationsOfWhatTheClockDecidedAreThoseOfReceiptsAndNotices) {
  spec.forgetting.deadline.event_time_ms = 2 * kSecond;
  spec.erase_within_ms = 20 * kSecond;
  Arrive(EventKind::kLearn, "a", kStart + 300);
  Arrive(EventKind::kDelete, "a", kStart + 300);
  Tick(true);
  Pass(4100);
  Tick(true);
  EXPECT_EQ(Last("effective/timestamp"), std::to_string(kStart + 5000));
  EXPECT_EQ(probe.effective, (std::vector<std::int64_t>{5}));  // 4.7 s
  Tick(true);
  Pass(10'000);
  Tick(true);
  EXPECT_EQ(Last("timestamp"), std::to_string(kStart + 15'000));
  EXPECT_EQ(probe.erased, (std::vector<std::int64_t>{15}));  // 14.7 s
}

TEST_F(ShardClock, ADurationIsNotCountedUpToARecordFromTheFuture) {
  spec.forgetting.deadline.events = 1;
  Arrive(EventKind::kLearn, "a", kStart);
  Arrive(EventKind::kDelete, "a", kStart);
  Pass(3 * kSecond);
  Learn(kMicroseconds);
  EXPECT_EQ(probe.effective, (std::vector<std::int64_t>{3}));
}

TEST_F(ShardClock, AWallClockThatJumpsDoesNotHoldUpAnErasure) {
  spec.forgetting.deadline.event_time_ms = 10 * kSecond;
  Arrive(EventKind::kLearn, "a", kStart);
  Arrive(EventKind::kDelete, "a", kStart);
  Tick(true);
  Pass(10 * kSecond);
  clock.wall.value += 50 * kMinute;  // at this decision only
  Tick(true);
  clock.wall.value -= 50 * kMinute;
  ASSERT_EQ(Count("forgotten"), 1);
  Tick(true);
  Pass(kHour / 2);
  Tick(true);
  EXPECT_EQ(Count("erased"), 1);
}

// The same over restarts, on a store.
class ShardClockOnDisk : public ShardClock {
 protected:
  ShardClockOnDisk() {
    spec.forgetting.deadline.event_time_ms = 10 * kSecond;
    spec.erase_within_ms = kMinute;
  }

  void Restart() {
    runner.reset();
    shard.reset();
    durable.reset();
    durable = DurableState::Open(store, nullptr).value();
    if (!random) random = std::make_unique<SeededRandom>(1);
    if (!identity) identity = ShardIdentity::New({0}, *random);
    shard = std::make_unique<Shard>(
        Plan::Make(spec).value(), *identity,
        ShardPorts{*durable, durable->payloads(), sink, probe, hasher, *random});
    ASSERT_TRUE(shard->Resume().ok());
    runner = std::make_unique<RecordFeeder>(*shard, hooks);
    clock.steady_ms = 1000;  // begins anew
  }

  MemoryStore store;
  std::optional<ShardIdentity> identity;
  std::unique_ptr<DurableState> durable;
};

TEST_F(ShardClockOnDisk, TimeThatPassesBetweenTwoProcessesCounts) {
  Restart();
  Arrive(EventKind::kLearn, "a", kStart);
  Arrive(EventKind::kDelete, "a", kStart);
  Tick(false);
  ASSERT_TRUE(runner->Commit().ok());
  Pass(12 * kSecond);
  Restart();
  Tick(false);
  EXPECT_EQ(Count("forgotten"), 1);
}

TEST_F(ShardClockOnDisk, ATimeInTheFutureCountsAsTheRestart) {
  Restart();
  clock.wall.value += 50 * kMinute;  // the clock is wrong
  Arrive(EventKind::kLearn, "a", kStart);
  Arrive(EventKind::kDelete, "a", kStart);
  Tick(false);
  ASSERT_TRUE(runner->Commit().ok());
  clock.wall.value -= 50 * kMinute;
  Restart();
  Tick(false);
  EXPECT_EQ(Count("forgotten"), 0);
  Pass(11 * kSecond);
  Tick(false);
  ASSERT_EQ(Count("forgotten"), 1);
  clock.wall.value += 50 * kMinute;
  Tick(false);
  ASSERT_TRUE(runner->Commit().ok());
  clock.wall.value -= 50 * kMinute;
  Restart();
  Tick(true);
  Pass(30 * kSecond);
  Tick(true);
  EXPECT_EQ(Count("erased"), 1);
}

// More erasures than are saved with the shard. Each has its notice, whatever ends the process.
TEST_F(ShardClockOnDisk, ManyErasuresOutliveTheProcess) {
  spec.forgetting.deadline = {};
  Restart();
  const int count = static_cast<int>(Erasures::kWithShard) + 30;
  for (int i = 0; i < count; ++i) {
    Arrive(EventKind::kLearn, "e" + std::to_string(i), kStart);
    Arrive(EventKind::kDelete, "e" + std::to_string(i), kStart);
    Tick(false);
    if (i == count - 10) Restart();
  }
  Tick(false);
  ASSERT_TRUE(runner->Commit().ok());
  Pass(20 * kSecond);
  Restart();
  Tick(true);
  EXPECT_EQ(Count("erased"), 0);
  Pass(10 * kSecond);
  Tick(true);
  EXPECT_EQ(Count("erased"), count);
  Restart();
  Pass(kHour);
  Tick(true);
  EXPECT_EQ(Count("erased"), count);
}

TEST_F(ShardClockOnDisk, TheBoundOnEventTimeOutlivesTheProcess) {
  Restart();
  Learn(kMicroseconds);
  ASSERT_TRUE(runner->Commit().ok());
  Restart();
  Pass(kSecond);
  Learn(kMicroseconds + 1);
  EXPECT_EQ(Count("clock"), 1);
  EXPECT_EQ(shard->Report().last_event, TimeMs{kStart});
}

}  // namespace
}  // namespace lethe::testing::shard_clock_test
