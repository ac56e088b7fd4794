// The loop of a shard with every port faked: what it takes, when it commits, and in which order.

#include "app/pipeline/shard_loop.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "state/store/memory_store.h"
#include "tests/support/fakes.h"
#include "tests/support/passive_spec.h"

namespace lethe::testing::shard_loop_test {
namespace {

using Words = std::vector<std::string>;

constexpr std::int64_t kMs = 1'000'000;

class HandClock final : public Clock {
 public:
  std::int64_t NowMs() override { return ns / kMs; }
  std::int64_t MonotonicNs() override { return ns; }
  std::int64_t ns = 1'000'000 * kMs;
};

// Writes down every call that leaves the loop, in order.
class Journal final : public LoopOutput, public LoopRelease, public LoopObserver, public Sink {
 public:
  bool wants_dead_letters() const override { return true; }
  Status SendDeadLetter(const DeadLetter& letter) override {
    calls.push_back("dead letter " + std::to_string(letter.offset.value));
    return Status::Ok();
  }
  Status WaitForAll() override {
    calls.push_back("acknowledged");
    if (is_broker_away) return {ErrorCode::kInterrupted, "no acknowledgement"};
    return Status::Ok();
  }
  Status failure() const override { return failed; }
  Status AfterCommit(bool) override {
    calls.push_back("released");
    return Status::Ok();
  }
  Status WhenIdle() override {
    ++idle;
    return Status::Ok();
  }
  void OnCommit(bool has_news, double) override {
    calls.push_back(has_news ? "committed news" : "committed");
  }
  void OnDeadLetter(Reason) override { ++rejected; }
  void OnAhead() override { ++ahead; }
  Status Publish(ShardId, ChainKind kind, std::string_view) override {
    calls.push_back(kind == ChainKind::kReceipt ? "receipt" : "notice");
    return Status::Ok();
  }

  Words calls;
  bool is_broker_away = false;
  Status failed;
  int idle = 0;
  int rejected = 0;
  int ahead = 0;
};

class ShardLoopTest : public ::testing::Test {
 protected:
  ShardLoopTest() {
    spec_.model.dimension = 2;
    spec_.noise.source = NoiseKind::kSeeded;
  }

  void Start(const CommitPolicy& policy = {.max_records = 100, .max_age_ns = 1000 * kMs}) {
    loop_.reset();
    shard_.reset();
    state_ = DurableState::Open(store_, nullptr).value();
    shard_ = std::make_unique<Shard>(
        Plan::Make(spec_).value(), ShardIdentity::New({0}, random_),
        ShardPorts{*state_, state_->payloads(), journal_, probe_, hasher_, random_});
    ASSERT_TRUE(shard_->Resume().ok());
    loop_.emplace(ShardLoop::Ports{.shard = *shard_,
                                   .clock = clock_,
                                   .lookup = no_lookup_,
                                   .output = journal_,
                                   .release = journal_,
                                   .observer = journal_,
                                   .state = state_.get()},
                  policy);
    batch_ = std::make_unique<LoopBatch>();
    batch_->messages.admissions().emplace(ShardId{0}, shard_->NewAdmission());
  }

  // One batch of these values, from `offset` on, read at the present time.
  Result<bool> Take(const Words& values, bool has_more = false) {
    batch_->messages.Clear(values.size());
    for (const std::string& value : values) {
      batch_->messages.AddMessage({0}, {.offset = {offset_++}, .timestamp = {clock_.NowMs()}},
                                  false, std::nullopt, value);
    }
    batch_->messages.Admit();
    batch_->arrival = {clock_.NowMs()};
    return loop_->TakeBatch(*batch_, has_more);
  }
  static std::string Learn(const std::string& id) {
    return R"({"type":"learn","id":")" + id + R"(","x":[0.5,0.1],"y":1})";
  }
  static std::string Delete(const std::string& id) {
    return R"({"type":"delete","id":")" + id + R"("})";
  }
  Offset StoredOffset() {
    auto copy = DurableState::Open(store_, nullptr).value();
    Shard resumed(Plan::Make(spec_).value(), ShardIdentity::New({0}, random_),
                  ShardPorts{*copy, copy->payloads(), journal_, probe_, hasher_, random_});
    EXPECT_TRUE(resumed.Resume().ok());
    return resumed.next();
  }

  Spec spec_ = PassiveSpec();
  MemoryStore store_;
  HandClock clock_;
  SeededRandom random_{1};
  SodiumHasher hasher_;
  Probe probe_;
  Journal journal_;
  RequestLookup no_lookup_;
  std::unique_ptr<DurableState> state_;
  std::unique_ptr<Shard> shard_;
  std::optional<ShardLoop> loop_;
  std::unique_ptr<LoopBatch> batch_;
  std::int64_t offset_ = 0;
};

TEST_F(ShardLoopTest, LearnsAreCommittedWhenTheyAreManyOrOld) {
  Start({.max_records = 3, .max_age_ns = 1000 * kMs});
  EXPECT_FALSE(Take({Learn("a"), Learn("b")}).value());
  EXPECT_TRUE(Take({Learn("c")}).value());
  EXPECT_EQ(StoredOffset(), Offset{3});
  EXPECT_FALSE(Take({Learn("d")}).value());
  clock_.ns += 1000 * kMs;
  EXPECT_TRUE(Take({}).value());
  EXPECT_EQ(StoredOffset(), Offset{4});
  EXPECT_FALSE(Take({}).value()) << "nothing is uncommitted";
}

TEST_F(ShardLoopTest, ADeletionIsCommittedReleasedAndThenPublished) {
  Start();
  EXPECT_TRUE(Take({Learn("a"), Delete("a")}).value());
  EXPECT_EQ(journal_.calls, (Words{"committed news", "released", "receipt"}));
}

TEST_F(ShardLoopTest, ADeadLetterIsAcknowledgedBeforeTheOffsetBehindItIsStored) {
  Start();
  ASSERT_FALSE(Take({Learn("a"), "{broken"}).value());
  EXPECT_EQ(journal_.rejected, 1);
  ASSERT_TRUE(loop_->Commit().ok());
  EXPECT_EQ(journal_.calls, (Words{"dead letter 1", "acknowledged", "committed", "released"}));
  EXPECT_EQ(StoredOffset(), Offset{2});
}

TEST_F(ShardLoopTest, AnUndeliveredDeadLetterStopsTheCommit) {
  Start();
  ASSERT_FALSE(Take({Learn("a")}).value());
  ASSERT_TRUE(loop_->Commit().ok());
  journal_.is_broker_away = true;
  EXPECT_FALSE(Take({"{broken", Delete("a")}).ok());
  EXPECT_EQ(StoredOffset(), Offset{1});
  EXPECT_EQ(journal_.calls.back(), "acknowledged") << "no receipt was published";
}

TEST_F(ShardLoopTest, AMessageThatCanNeverArriveEndsTheLoop) {
  Start();
  journal_.failed = {ErrorCode::kInput, "refused"};
  EXPECT_EQ(Take({Learn("a")}).status().message(), "refused");
}

TEST_F(ShardLoopTest, ARestartTakesNothingTwice) {
  Start();
  ASSERT_TRUE(Take({Learn("a"), Delete("a"), Learn("b")}).value());
  const std::int64_t records = shard_->counters().records;
  Start();
  offset_ = 0;
  ASSERT_TRUE(Take({Learn("a"), Delete("a"), Learn("b"), Learn("c")}).ok());
  EXPECT_EQ(shard_->counters().records, records + 1);
  EXPECT_EQ(shard_->counters().learned, 3);
}

TEST_F(ShardLoopTest, TheClockServesARequestOnASilentStream) {
  spec_.forgetting.deadline.event_time_ms = 5000;
  Start();
  ASSERT_TRUE(Take({Learn("a"), Delete("a")}).value());
  EXPECT_EQ(journal_.calls.back(), "notice") << "received, and not effective yet";
  for (int i = 0; i < 100 && shard_->counters().effective_deletions == 0; ++i) {
    clock_.ns += 200 * kMs;
    ASSERT_TRUE(Take({}).ok());
  }
  EXPECT_EQ(shard_->counters().effective_deletions, 1);
  EXPECT_EQ(journal_.calls.back(), "receipt");
}

TEST_F(ShardLoopTest, ATimestampFromTheFutureIsCountedAndItsArrivalRecorded) {
  Start();
  batch_->messages.Clear(1);
  batch_->messages.AddMessage({0}, {.offset = {0}, .timestamp = {clock_.NowMs() + 3'600'000}},
                              false, std::nullopt, Learn("a"));
  batch_->messages.Admit();
  batch_->arrival = {clock_.NowMs()};
  ASSERT_TRUE(loop_->TakeBatch(*batch_, false).ok());
  EXPECT_EQ(journal_.ahead, 1);
  EXPECT_EQ(batch_->messages.position(0).arrival, TimeMs{clock_.NowMs()});
}

TEST_F(ShardLoopTest, AnIdleLoopLetsTheReleaseCatchUp) {
  Start();
  ASSERT_FALSE(Take({}).value());
  EXPECT_EQ(journal_.idle, 1);
  ASSERT_FALSE(Take({Learn("a")}).value());
  EXPECT_EQ(journal_.idle, 1) << "not while something is uncommitted";
}

TEST_F(ShardLoopTest, TheRestIsCommittedOnce) {
  Start();
  ASSERT_FALSE(Take({Learn("a")}).value());
  ASSERT_TRUE(loop_->CommitRest().ok());
  ASSERT_TRUE(loop_->CommitRest().ok());
  EXPECT_EQ(journal_.calls, (Words{"committed", "released"}));
}

TEST(CommitPolicyTest, NewsIsCommittedAtOnceUnlessMoreCouldShareTheCommit) {
  const CommitPolicy policy;
  EXPECT_TRUE(IsCommitDue(policy, {.records = 1, .has_news = true}));
  EXPECT_TRUE(IsCommitDue(policy, {.records = 1, .has_news = true, .news_waits = true}));
  EXPECT_TRUE(IsCommitDue(policy, {.records = 1, .has_news = true, .has_more = true}));
  EXPECT_FALSE(
      IsCommitDue(policy, {.records = 1, .has_news = true, .news_waits = true, .has_more = true}));
}

TEST(CommitPolicyTest, LearnsWaitForTheirNumberTheirAgeOrAFullState) {
  const CommitPolicy policy{.max_records = 10, .max_age_ns = 100};
  EXPECT_FALSE(IsCommitDue(policy, {}));
  EXPECT_FALSE(IsCommitDue(policy, {.records = 9, .age_ns = 99}));
  EXPECT_TRUE(IsCommitDue(policy, {.records = 10, .age_ns = 0}));
  EXPECT_TRUE(IsCommitDue(policy, {.records = 1, .age_ns = 100}));
  EXPECT_FALSE(IsCommitDue(policy, {.records = 0, .age_ns = 100}));
  EXPECT_TRUE(IsCommitDue(policy, {.records = 1, .age_ns = 0, .is_full = true}));
  EXPECT_TRUE(IsCommitDue(policy, {.has_answers = true}));
  EXPECT_TRUE(IsCommitDue(policy, {.must_release = true}));
  EXPECT_FALSE(IsCommitDue({.max_records = 10}, {.records = 9, .age_ns = 1'000'000'000}))
      << "without a largest age only the number counts";
}

}  // namespace
}  // namespace lethe::testing::shard_loop_test
