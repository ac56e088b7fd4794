// What a restart knows of rejected records.

#include <gtest/gtest.h>

#include "state/durable_state.h"
#include "state/store/memory_store.h"
#include "tests/support/shard_fixture.h"

namespace lethe::testing::counters_test {
namespace {

class ShardCounters : public ShardFixture {
 protected:
  void Open() {
    shard.reset();
    durable = DurableState::Open(store, nullptr).value();
    SeededRandom keys(1);
    shard = std::make_unique<Shard>(
        Plan::Make(spec).value(), ShardIdentity::New({0}, keys),
        ShardPorts{*durable, durable->payloads(), sink, probe, hasher, draws});
    runner = std::make_unique<RecordFeeder>(*shard, hooks);
    ASSERT_TRUE(shard->Resume().ok());
  }

  MemoryStore store;
  SeededRandom draws{2};
  std::unique_ptr<DurableState> durable;
};

TEST_F(ShardCounters, ARestartKeepsTheCountOfEveryReason) {
  Open();
  for (std::size_t i = 0; i < static_cast<std::size_t>(Reason::kCount); ++i) {
    for (std::size_t times = 0; times <= i; ++times) {
      Record record;
      record.offset = {offset++};
      record.rejection = Rejection{.reason = static_cast<Reason>(i), .message = "wrong"};
      ASSERT_TRUE(Feed(record).ok());
    }
  }
  ASSERT_TRUE(runner->Commit().ok());
  const auto before = shard->Report().counters.rejected;
  Open();
  const auto after = shard->Report().counters.rejected;
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i], static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(after[i], before[i]) << ReasonName(static_cast<Reason>(i));
  }
}

TEST_F(ShardCounters, AStateWithoutLaterReasonsHasNoPartForThem) {
  Open();
  Learn("a");
  ASSERT_TRUE(runner->Commit().ok());
  EXPECT_FALSE(durable->Get(Part::kLaterReasons).has_value());
}

}  // namespace
}  // namespace lethe::testing::counters_test
