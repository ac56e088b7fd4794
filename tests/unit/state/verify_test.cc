// `state verify` must not hold what a start refuses: every kind of file of a state is removed, cut
// and changed, and the verdict of both is compared.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "state/shard_folder.h"
#include "state/summary.h"

namespace lethe::state_verify_test {
namespace {

namespace fs = std::filesystem;

// "000012.log" and "MANIFEST-000005" without their numbers, and folders.
std::string KindOf(const fs::path& path) {
  std::string kind;
  for (const char letter :
       path.parent_path().filename() == "payloads" ? "payloads" : path.filename().string()) {
    if (letter != '\0' && (letter < '0' || letter > '9')) kind += letter;
  }
  return kind;
}

class StateVerifyTest : public ::testing::Test {
 protected:
  StateVerifyTest() {
    base_ = fs::temp_directory_path() / ("lethe-verify-" + std::to_string(getpid()));
    fs::remove_all(base_);
    MakeState();
  }
  ~StateVerifyTest() override { fs::remove_all(base_); }

  // As a process leaves it that was killed: a part is in tables, the rest in the log.
  void MakeState() {
    const std::string path = (base_ / "running").string();
    const auto folder = StateFolder::Open(path).value();
    const auto shard = ShardFolder::Open(*folder, {0}, random_, hasher_).value();
    DurableState& state = shard->state();
    Example example{.x = Vector::LinSpaced(20, 0.1, 0.9), .y = 1, .at = {}};
    for (std::int64_t i = 0; i < 3000; ++i) {
      const auto number = static_cast<std::uint64_t>(i) + 1;
      state.AddEvent({{i}, {i}, {number, 0}, std::nullopt});
      state.payloads().Add({i}, example);
      if (i % 500 != 499) continue;
      state.Append(ChainKind::kReceipt, "receipt " + std::to_string(i));
      state.Put(Part::kRun, std::string(9000, static_cast<char>('a' + i % 26)));
      ASSERT_TRUE(state.Commit(true).ok());
      if (i < 2000) {
        ASSERT_TRUE(shard->store().Flush().ok());
      }
    }
    ASSERT_TRUE(state.WaitForWrites().ok());
    // RocksDB may remove an obsolete file while its folder is copied.
    for (std::error_code error = std::make_error_code(std::errc::interrupted); error;) {
      fs::remove_all(base_ / "killed");
      fs::copy(path, base_ / "killed", fs::copy_options::recursive, error);
    }
  }

  // What both say of the state after `damage`, which is given a file of a fresh copy.
  struct Verdicts {
    Status verified;
    Status started;
  };
  Verdicts After(const fs::path& file, const std::function<void(const fs::path&)>& damage) {
    const fs::path copy = base_ / "copy";
    fs::remove_all(copy);
    fs::copy(base_ / "killed", copy, fs::copy_options::recursive);
    damage(copy / file);
    Verdicts verdicts;
    verdicts.verified = SummariseShard(copy.string(), {0}, hasher_, true).status();
    const auto folder = StateFolder::Open(copy.string()).value();
    verdicts.started = ShardFolder::Open(*folder, {0}, random_, hasher_).status();
    return verdicts;
  }

  fs::path base_;
  SeededRandom random_{1};
  SodiumHasher hasher_;
};

void Flip(const fs::path& path, std::uintmax_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(byte ^ 0x10));
}

TEST_F(StateVerifyTest, HoldsNothingThatAStartRefuses) {
  constexpr int kFilesOfAKind = 2;
  struct Count {
    int files = 0;
    int all = 0;
    int refused = 0;
    int held = 0;  // by the verification, although the start refused
  };
  std::map<std::string, Count> counts;
  const auto try_one = [&](const fs::path& file, const std::string& what, const auto& damage) {
    const Verdicts verdicts = After(file, damage);
    Count& count = counts[KindOf(file)];
    ++count.all;
    if (verdicts.started.ok()) return;
    ++count.refused;
    count.held += verdicts.verified.ok() ? 1 : 0;
    EXPECT_FALSE(verdicts.verified.ok())
        << file << " " << what << ": " << verdicts.started.message();
    // A service manager tries again what the disk refuses, and a damaged state stays damaged.
    EXPECT_EQ(verdicts.started.code(), ErrorCode::kInput)
        << file << " " << what << ": " << verdicts.started.message();
  };
  const fs::path killed = base_ / "killed";
  for (const auto& entry : fs::recursive_directory_iterator(killed)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == "lock" || name == "LOCK" || name.starts_with("LOG")) {
      continue;
    }
    const fs::path file = fs::relative(entry.path(), killed);
    if (counts[KindOf(file)].files++ >= kFilesOfAKind) continue;
    const std::uintmax_t size = entry.file_size();
    try_one(file, "missing", [](const fs::path& path) { fs::remove(path); });
    if (size == 0) continue;
    for (const std::uintmax_t left : {std::uintmax_t{0}, size / 2, size - 1}) {
      try_one(file, "cut to " + std::to_string(left),
              [&](const fs::path& path) { fs::resize_file(path, left); });
    }
    for (const std::uintmax_t at : {std::uintmax_t{0}, size / 3, size / 2, size - 1}) {
      try_one(file, "changed at " + std::to_string(at),
              [&](const fs::path& path) { Flip(path, at); });
    }
  }
  for (const auto& [kind, count] : counts) {
    std::cout << kind << ": " << count.all << " damaged, " << count.refused
              << " refused by a start, of which " << count.held << " were said to hold\n";
  }
  EXPECT_GT(counts[".log"].refused, 3);
  EXPECT_GT(counts["MANIFEST-"].refused, 3);
  EXPECT_GT(counts["CURRENT"].refused, 3);
}

TEST_F(StateVerifyTest, SaysThatTheHighWaterFileIsMissing) {
  fs::remove(base_ / "killed" / "shard-0" / "high-water");
  const auto summary = SummariseShard((base_ / "killed").string(), {0}, hasher_, true);
  ASSERT_TRUE(summary.ok()) << summary.status().message();
  EXPECT_NE(summary.value().remark.find("high-water is missing"), std::string::npos);
}

}  // namespace
}  // namespace lethe::state_verify_test
