// A commit stores the offset that a restart goes on from, so it has one owner: the runner, which
// asks first whether everything before that offset has arrived where it had to go.

#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "state/durable_state.h"
#include "state/store/memory_store.h"
#include "tests/support/record_feeder.h"
#include "tests/support/shard_fixture.h"

namespace lethe::commit_protocol_test {
namespace {

class CommitProtocolTest : public testing::ShardFixture {
 protected:
  CommitProtocolTest() { spec.erase_within_ms = 1000; }

  Record At(std::int64_t time, EventKind kind, const std::string& id) {
    Record record = Make(kind, id, {});
    record.timestamp = {time};
    return record;
  }

  // Learns and forgets an event, commits, and takes one more record that is not committed.
  void ForgetAndGoOn() {
    ASSERT_TRUE(Feed(At(0, EventKind::kLearn, "a")).ok());
    ASSERT_TRUE(Feed(At(1, EventKind::kDelete, "a")).ok());
    ASSERT_TRUE(Feed(At(2, EventKind::kLearn, "b")).ok());
    ASSERT_EQ(state.commits, 1u);
  }
};

TEST_F(CommitProtocolTest, AnErasureWaitsForACommitByTheRuleOfTheCaller) {
  ForgetAndGoOn();
  hooks.is_undelivered = true;
  EXPECT_FALSE(runner->Process(At(5000, EventKind::kLearn, "c")).ok());
  EXPECT_EQ(state.commits, 1u);
  EXPECT_EQ(hooks.asked, 2u);
  EXPECT_EQ(sink.published.size(), 1u);  // the receipt, and no notice of an erasure
}

TEST_F(CommitProtocolTest, AnErasureByTheClockWaitsForACommitByTheRuleOfTheCaller) {
  ForgetAndGoOn();
  ASSERT_TRUE(runner->ServeByTimer({.wall = {2}, .steady_ms = 0}, true).ok());
  hooks.is_undelivered = true;
  EXPECT_FALSE(runner->ServeByTimer({.wall = {5000}, .steady_ms = 5000}, true).ok());
  EXPECT_EQ(state.commits, 1u);
}

TEST_F(CommitProtocolTest, AnErasureComesAfterTheCommitAndBeforeTheRecord) {
  ForgetAndGoOn();
  ASSERT_TRUE(runner->Process(At(5000, EventKind::kLearn, "c")).ok());
  EXPECT_EQ(state.commits, 2u);
  EXPECT_EQ(state.committed_entries, 1u);  // the notice belongs to the next commit
  EXPECT_TRUE(shard->has_news());
  ASSERT_TRUE(runner->Commit().ok());
  EXPECT_EQ(hooks.commits, (std::vector<bool>{true, false, true}));
  ASSERT_EQ(sink.published.size(), 2u);
  EXPECT_EQ(Receipt(1, "status"), "erased");
  EXPECT_EQ(Receipt(1, "offset"), "2");  // that of "b"
}

// What a release sees: how often the state was committed, and how many receipts were published.
class ReleasingHooks final : public CommitSteps {
 public:
  using Look = std::function<std::pair<std::size_t, std::size_t>()>;
  explicit ReleasingHooks(Look look) : look_(std::move(look)) {}
  Status Release(bool) override {
    seen.push_back(look_());
    return fails ? Status{ErrorCode::kUnavailable, "the models topic is away"} : Status::Ok();
  }

  std::vector<std::pair<std::size_t, std::size_t>> seen;
  bool fails = false;

 private:
  Look look_;
};

TEST_F(CommitProtocolTest, TheModelIsReleasedAfterTheCommitAndBeforeItsReceipt) {
  Start();
  ReleasingHooks releasing([this] { return std::pair(state.commits, sink.published.size()); });
  RecordFeeder feeder(*shard, releasing);
  ASSERT_TRUE(feeder.Process(At(0, EventKind::kLearn, "a")).ok());
  ASSERT_TRUE(feeder.Process(At(1, EventKind::kDelete, "a")).ok());
  ASSERT_TRUE(feeder.Commit().ok());
  EXPECT_EQ(releasing.seen, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}}));
  EXPECT_EQ(sink.published.size(), 1u);
}

TEST_F(CommitProtocolTest, AReleaseThatFailsKeepsTheReceiptBack) {
  Start();
  ReleasingHooks releasing([this] { return std::pair(state.commits, sink.published.size()); });
  releasing.fails = true;
  RecordFeeder feeder(*shard, releasing);
  ASSERT_TRUE(feeder.Process(At(0, EventKind::kLearn, "a")).ok());
  ASSERT_TRUE(feeder.Process(At(1, EventKind::kDelete, "a")).ok());
  EXPECT_EQ(feeder.Commit().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(state.committed_entries, 1u);
  EXPECT_TRUE(sink.published.empty());
}

// The same on a store: where a restart goes on.
TEST_F(CommitProtocolTest, ARestartDoesNotPassWhatWasStillOnItsWay) {
  MemoryStore store;
  SeededRandom seeded(1);
  const Plan plan = Plan::Make(spec).value();
  {
    auto durable = DurableState::Open(store, nullptr).value();
    Shard live(plan, ShardIdentity::New({0}, seeded),
               {*durable, durable->payloads(), sink, probe, hasher, seeded});
    ASSERT_TRUE(live.Resume().ok());
    RecordFeeder feeder(live, hooks);
    ASSERT_TRUE(feeder.Process(At(0, EventKind::kLearn, "a")).ok());
    ASSERT_TRUE(feeder.Process(At(1, EventKind::kDelete, "a")).ok());
    ASSERT_TRUE(feeder.Commit().ok());
    Record refused = At(2, EventKind::kLearn, "b");
    refused.event.x = {17, 17};  // its dead letter is not delivered
    ASSERT_TRUE(feeder.Process(refused).ok());
    hooks.is_undelivered = true;
    EXPECT_FALSE(feeder.Process(At(5000, EventKind::kLearn, "c")).ok());
  }
  auto durable = DurableState::Open(store, nullptr).value();
  Shard resumed(plan, ShardIdentity::New({0}, seeded),
                {*durable, durable->payloads(), sink, probe, hasher, seeded});
  ASSERT_TRUE(resumed.Resume().ok());
  EXPECT_EQ(resumed.next(), Offset{2});
}

}  // namespace
}  // namespace lethe::commit_protocol_test
