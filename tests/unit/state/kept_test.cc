// A state of each released format is kept in tests/kept: this program resumes from it and ends
// where a run that never stopped ends. LETHE_UPDATE_FILES=1 writes one where there is none yet; a
// kept one is never written again.

#include <test_paths.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "state/memory_state.h"
#include "state/shard_folder.h"
#include "tests/support/crash_simulation.h"
#include "tests/support/passive_spec.h"

namespace lethe::kept_test {
namespace {

using testing::RandomRecords;

constexpr std::size_t kRecords = 600;
constexpr std::size_t kKept = 400;

class KeptStateTest : public ::testing::TestWithParam<const char*> {
 protected:
  KeptStateTest() {
    Spec spec = PassiveSpec();
    spec.model.dimension = 5;
    spec.noise.source = NoiseKind::kSeeded;
    spec.forgetting.mode = "active";  // payloads too
    spec.forgetting.deadline = {.events = 20, .event_time_ms = 0};
    plan_.emplace(Plan::Make(spec).value());
    folder_ = std::filesystem::temp_directory_path() / ("lethe-kept-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
  }
  ~KeptStateTest() override { std::filesystem::remove_all(folder_); }

  // Runs the records [first, last) on the state in folder_.
  void Run(std::size_t first, std::size_t last, bool flush) {
    auto folder = StateFolder::Open(folder_.string()).value();
    auto opened = ShardFolder::Open(*folder, {0}, random_, hasher_);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    DurableState& state = opened.value()->state();
    Shard shard(*plan_, opened.value()->identity(),
                {state, state.payloads(), sink_, probe_, hasher_, random_});
    const Status resumed = shard.Resume();
    ASSERT_TRUE(resumed.ok()) << resumed.message();
    EXPECT_EQ(shard.counters().records, static_cast<std::int64_t>(first));
    RecordFeeder runner(shard, no_hooks_);
    for (std::size_t i = first; i < last; ++i) ASSERT_TRUE(runner.Process(records_[i]).ok());
    ASSERT_TRUE(runner.Commit().ok());
    if (flush) {
      ASSERT_TRUE(opened.value()->store().Flush().ok());
    }
    model_ = shard.unlearner().model();
    chain_.clear();
    ASSERT_TRUE(state
                    .ReadChain(0,
                               [&](std::uint64_t, ChainKind, std::string_view bytes) {
                                 chain_.emplace_back(bytes);
                                 return Status::Ok();
                               })
                    .ok());
  }

  const std::filesystem::path kept_ =
      std::string(LETHE_SOURCE_DIR "/tests/kept/state-") + GetParam();
  const std::vector<Record> records_ = RandomRecords(9, kRecords, 5);
  std::filesystem::path folder_;
  std::optional<Plan> plan_;
  SeededRandom random_{7};
  SodiumHasher hasher_;
  testing::RecordingSink sink_;
  Probe probe_;
  CommitSteps no_hooks_;
  Vector model_;
  std::vector<std::string> chain_;
};

TEST_P(KeptStateTest, IsResumed) {
  if (std::getenv("LETHE_UPDATE_FILES") != nullptr && !std::filesystem::exists(kept_)) {
    Run(0, kKept / 2, true);
    Run(kKept / 2, kKept, false);
    std::filesystem::copy(folder_, kept_, std::filesystem::copy_options::recursive);
    // What RocksDB tells itself, and paths of the machine.
    for (const auto& entry : std::filesystem::directory_iterator(kept_ / "shard-0" / "db")) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("LOG") || name.starts_with("OPTIONS") || name == "LOCK") {
        std::filesystem::remove(entry.path());
      }
    }
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::copy(kept_, folder_, std::filesystem::copy_options::recursive);
  Run(kKept, kRecords, false);
  if (HasFatalFailure()) return;

  MemoryState state;
  MemoryPayloads payloads;
  testing::RecordingSink sink;
  Shard shard(*plan_, ShardIdentity::New({0}, random_),
              {state, payloads, sink, probe_, hasher_, random_});
  RecordFeeder runner(shard, no_hooks_);
  for (const Record& record : records_) ASSERT_TRUE(runner.Process(record).ok());
  ASSERT_TRUE(runner.Commit().ok());
  EXPECT_EQ(model_, shard.unlearner().model());
  ASSERT_EQ(chain_.size(), sink.published.size());
  for (std::size_t i = 0; i < chain_.size(); ++i) EXPECT_EQ(chain_[i], sink.published[i].bytes);
}

INSTANTIATE_TEST_SUITE_P(Versions, KeptStateTest, ::testing::Values("1"),
                         [](const auto& version) { return std::string(version.param); });

}  // namespace
}  // namespace lethe::kept_test
