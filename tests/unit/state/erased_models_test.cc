// A request that waits keeps its event in the model until it is effective, so models that knew the
// event are written after its payload was erased. They have to leave the disk too.

#include <memory>

#include "state/durable_state.h"
#include "state/store/memory_store.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/shard_fixture.h"

namespace lethe::testing::erased_models_test {
namespace {

// Counts how often the pages of the engine's own parts, models among them, were rewritten.
class CountingStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Status Rewrite(const std::vector<KeyRange>& ranges, const Scrub& scrub) override {
    for (const KeyRange& range : ranges) rewrites += range.family == Family::kMeta ? 1 : 0;
    if (fails) return {ErrorCode::kDisk, "the disk is full"};
    return ForwardingStore::Rewrite(ranges, scrub);
  }

  int rewrites = 0;
  bool fails = false;
};

class ErasedModelsTest : public ShardFixture {
 protected:
  void Open() {
    spec.noise.seed = 1;
    durable_ = DurableState::Open(store_, nullptr).value();
    random = std::make_unique<SeededRandom>(1);
    shard = std::make_unique<Shard>(
        Plan::Make(spec).value(), ShardIdentity::New({0}, *random),
        ShardPorts{*durable_, durable_->payloads(), sink, probe, hasher, *random});
    ASSERT_TRUE(shard->Resume().ok());
    runner = std::make_unique<RecordFeeder>(*shard, hooks);
  }
  void FeedAt(std::int64_t ms, EventKind kind, const std::string& id) {
    Record record = Make(kind, id, {});
    record.timestamp = {ms};
    ASSERT_TRUE(runner->Process(record).ok());
    ASSERT_TRUE(runner->Commit().ok());
  }
  int Erase() {
    EXPECT_TRUE(durable_->Erase().ok());
    return store_.rewrites;
  }

  MemoryStore rows_;
  CountingStore store_{rows_};
  std::unique_ptr<DurableState> durable_;
};

TEST_F(ErasedModelsTest, LeaveTheDiskWhenTheWaitingRequestIsEffective) {
  spec.forgetting.deadline.event_time_ms = 5000;
  Open();
  FeedAt(1000, EventKind::kLearn, "a");
  FeedAt(1001, EventKind::kDelete, "a");
  EXPECT_EQ(Erase(), 1) << "the payload and the names go when the request is received";
  FeedAt(2000, EventKind::kLearn, "b");
  EXPECT_EQ(Erase(), 1) << "nothing became effective";
  FeedAt(7000, EventKind::kLearn, "c");
  ASSERT_EQ(shard->counters().effective_deletions, 1);
  EXPECT_EQ(Erase(), 2);
  EXPECT_EQ(Erase(), 2) << "once is enough";
}

TEST_F(ErasedModelsTest, LeaveTheDiskAlsoAfterARestart) {
  spec.forgetting.deadline.event_time_ms = 5000;
  spec.erase_within_ms = 60'000;
  Open();
  FeedAt(1000, EventKind::kLearn, "a");
  FeedAt(1001, EventKind::kDelete, "a");
  ASSERT_EQ(Erase(), 1);
  FeedAt(7000, EventKind::kLearn, "b");
  ASSERT_EQ(shard->counters().effective_deletions, 1);
  Open();
  FeedAt(8000, EventKind::kLearn, "c");
  EXPECT_EQ(Erase(), 2);
}

TEST_F(ErasedModelsTest, GoTogetherWithAnEventThatIsForgottenAtOnce) {
  Open();
  FeedAt(1000, EventKind::kLearn, "a");
  FeedAt(1001, EventKind::kDelete, "a");
  EXPECT_EQ(Erase(), 1);
  EXPECT_EQ(Erase(), 1);
}

TEST_F(ErasedModelsTest, AnErasureThatFailedIsTriedAgain) {
  Open();
  durable_->RetireModels();
  ASSERT_TRUE(durable_->Commit(true).ok());
  store_.fails = true;
  EXPECT_FALSE(durable_->Erase().ok());
  store_.fails = false;
  const int before = store_.rewrites;
  EXPECT_EQ(Erase(), before + 1);
}

}  // namespace
}  // namespace lethe::testing::erased_models_test
