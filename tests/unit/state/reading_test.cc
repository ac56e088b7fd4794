// A process that reads a state while its owner learns, forgets and erases sees the state as of one
// commit, and never takes it for damaged.

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "state/format/keys.h"
#include "state/shard_folder.h"
#include "state/summary.h"

namespace lethe::reading_test {
namespace {

class StateReadingTest : public ::testing::Test {
 protected:
  // Notes how long the reading took.
  template <typename Read>
  auto Timed(const Read& read) {
    const auto began = std::chrono::steady_clock::now();
    auto result = read();
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
    reading_ = std::max<std::int64_t>(reading_, took.count());
    return result;
  }

  StateReadingTest() {
    path_ = (std::filesystem::temp_directory_path() / ("lethe-reading-" + std::to_string(getpid())))
                .string();
    std::filesystem::remove_all(path_);
    folder_ = StateFolder::Open(path_).value();
    shard_ = ShardFolder::Open(*folder_, {0}, random_, hasher_).value();
    LearnForgetAndErase();  // so that there is something to read
    EXPECT_TRUE(Timed([&] { return SummariseShard(path_, {0}, hasher_, true); }).ok());
    owner_ = std::thread([this] {
      while (!stopping_) {
        LearnForgetAndErase();
        // A daemon rests between two erasures for longer than a reader takes. How long a reader
        // takes depends on the machine, and on the sanitizer.
        std::this_thread::sleep_for(
            std::max(std::chrono::nanoseconds(20'000'000), std::chrono::nanoseconds(3 * reading_)));
      }
    });
  }
  ~StateReadingTest() override {
    stopping_ = true;
    owner_.join();
    shard_.reset();
    std::filesystem::remove_all(path_);
  }

  // One commit, with an entry of the chain and a part that says how many entries there are.
  void LearnForgetAndErase() {
    DurableState& state = shard_->state();
    const Example example{.x = Vector::LinSpaced(20, 0.1, 0.9), .y = 1, .at = {}};
    for (int i = 0; i < 40; ++i, ++next_) {
      state.AddEvent(Event(next_));
      state.payloads().Add({next_}, example);
    }
    state.RemoveEvent(Event(next_ - 20));
    state.payloads().Remove({next_ - 20});
    state.Append(ChainKind::kReceipt, "receipt");
    state.Put(Part::kMode, NumberKey(++entries_));
    EXPECT_TRUE(state.Commit(true).ok());
    EXPECT_TRUE(state.Erase().ok());
    ++erasures_;
  }
  static LearnedEvent Event(std::int64_t index) {
    return {{index}, {index}, {static_cast<std::uint64_t>(index) + 1, 0}, std::nullopt};
  }

  std::string path_;
  SeededRandom random_{1};
  SodiumHasher hasher_;
  std::unique_ptr<StateFolder> folder_;
  std::unique_ptr<ShardFolder> shard_;
  std::int64_t next_ = 0;
  std::uint64_t entries_ = 0;
  std::atomic<int> erasures_ = 0;
  std::atomic<std::int64_t> reading_ = 0;  // the longest so far, in nanoseconds
  std::atomic<bool> stopping_ = false;
  std::thread owner_;
};

TEST_F(StateReadingTest, AStateInUseIsNeverTakenForDamaged) {
  constexpr int kReads = 40;
  constexpr int kMostReads = 2000;
  int failed = 0;
  int reads = 0;
  const int before = erasures_;
  for (; reads < kReads || (erasures_ == before && reads < kMostReads); ++reads) {
    const auto summary = Timed([&] { return SummariseShard(path_, {0}, hasher_, true); });
    failed += summary.ok() ? 0 : 1;
    EXPECT_TRUE(summary.ok()) << summary.status().message();
  }
  EXPECT_GT(erasures_, before);
  std::cout << failed << " of " << reads << " failed during " << erasures_ - before
            << " erasures\n";
}

TEST_F(StateReadingTest, AReaderSeesTheStateAsOfOneCommit) {
  for (int i = 0; i < 100; ++i) {
    const auto store =
        Timed([&] { return RocksStore::OpenForReading(ShardPath(path_, {0}) + "/db"); });
    ASSERT_TRUE(store.ok()) << store.status().message();
    const auto state = DurableState::OpenParts(*store.value());
    ASSERT_TRUE(state.ok()) << state.status().message();
    std::uint64_t entries = 0;
    const Status status =
        ReadChain(*store.value(), 0, [&](std::uint64_t, ChainKind, std::string_view) {
          ++entries;
          return Status::Ok();
        });
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(KeyNumber(*state.value()->Get(Part::kMode)), entries);
  }
}

}  // namespace
}  // namespace lethe::reading_test
