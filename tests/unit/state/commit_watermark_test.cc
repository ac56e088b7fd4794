// The file that tells how many commits a database must have.

#include "state/commit_watermark.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "state/shard_folder.h"
#include "state/store/crc32c.h"
#include "tests/support/disk_calls.h"

namespace lethe::commit_watermark_test {
namespace {

using File = CommitWatermark::File;

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CommitWatermarkTest : public ::testing::Test {
 protected:
  CommitWatermarkTest() {
    folder_ = std::filesystem::temp_directory_path() / ("lethe-water-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "high-water";
  }
  ~CommitWatermarkTest() override { std::filesystem::remove_all(folder_); }

  // A state with so many commits, of which only the log of the database knows.
  void MakeState(int commits) {
    const auto folder = StateFolder::Open(State()).value();
    const auto shard = ShardFolder::Open(*folder, {0}, random_, hasher_).value();
    for (int i = 0; i < commits; ++i) {
      shard->state().Put(Part::kRun, "after commit " + std::to_string(i));
      ASSERT_TRUE(shard->state().Commit(true).ok());
    }
  }
  Result<std::unique_ptr<ShardFolder>> OpenState() {
    const auto folder = StateFolder::Open(State()).value();
    return ShardFolder::Open(*folder, {0}, random_, hasher_);
  }
  std::string State() const { return (folder_ / "state").string(); }
  std::filesystem::path Shard() const { return folder_ / "state" / "shard-0"; }
  void CutLog() const {
    for (const auto& entry : std::filesystem::directory_iterator(Shard() / "db")) {
      if (entry.path().extension() != ".log" || entry.file_size() == 0) continue;
      std::filesystem::resize_file(entry.path(), entry.file_size() - 5);
    }
  }

  std::filesystem::path folder_;
  std::string path_;
  SeededRandom random_{1};
  SodiumHasher hasher_;
};

TEST_F(CommitWatermarkTest, NoticesLostCommits) {
  EXPECT_EQ(ReadCommitWatermark(path_).value().file, File::kMissing);
  CommitWatermarkFile watermark(path_, {});
  ASSERT_TRUE(watermark.Begin().ok());
  EXPECT_TRUE(ReadCommitWatermark(path_).value().Check(0).ok());
  ASSERT_TRUE(watermark.Record(5, true).ok());
  ASSERT_TRUE(watermark.Record(9, false).ok());
  const CommitWatermark again = ReadCommitWatermark(path_).value();
  EXPECT_EQ(again.file, File::kWhole);
  EXPECT_TRUE(again.Check(9).ok());
  EXPECT_EQ(again.Check(8).code(), ErrorCode::kInput);
}

// After a start of the machine only what was synced must be there.
TEST_F(CommitWatermarkTest, AStartOfTheMachineMayTakeWhatWasNotSynced) {
  const std::string text =
      "lethe.high-water/1 00000000-0000-0000-0000-000000000000 "
      "00000000000000000005 00000000000000000009";
  char checksum[10];
  std::snprintf(checksum, sizeof checksum, " %08x", Crc32c(text));
  std::ofstream(path_) << text << checksum << "\n";
  const CommitWatermark rebooted = ReadCommitWatermark(path_).value();
  EXPECT_EQ(rebooted.file, File::kWhole);
  EXPECT_TRUE(rebooted.Check(5).ok());
  EXPECT_EQ(rebooted.Check(4).code(), ErrorCode::kInput);
}

TEST_F(CommitWatermarkTest, EveryChangedByteIsNoticed) {
  CommitWatermarkFile watermark(path_, CommitWatermark::Of(1234));
  ASSERT_TRUE(watermark.Begin().ok());
  const std::string whole = Content(path_);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    std::ofstream(path_) << changed;
    EXPECT_EQ(ReadCommitWatermark(path_).value().file, File::kDamaged) << i;
    std::ofstream(path_) << whole.substr(0, i);
    EXPECT_EQ(ReadCommitWatermark(path_).value().file, File::kDamaged) << i;
  }
}

std::string survived;  // the content of the file when it was synced last

// A power cut may take what was written and not synced, and leave zeros for it.
TEST_F(CommitWatermarkTest, IsWholeAfterAPowerCut) {
  CommitWatermarkFile watermark(path_, {});
  ASSERT_TRUE(watermark.Begin().ok());
  testing::before_fdatasync = [](int file) {
    if (testing::PathOf(file).ends_with("/high-water")) survived = Content(testing::PathOf(file));
    return true;
  };
  const Status synced = watermark.Record(7, true);
  const Status written = watermark.Record(8, false);
  testing::before_fdatasync = nullptr;
  ASSERT_TRUE(synced.ok() && written.ok());
  std::ofstream(path_) << survived;
  const CommitWatermark mark = ReadCommitWatermark(path_).value();
  EXPECT_EQ(mark.file, File::kWhole);
  EXPECT_EQ(mark.synced, 7u);
}

TEST_F(CommitWatermarkTest, IsMadeAnewWhereTheDatabaseIsWhole) {
  MakeState(5);
  const std::string file = (Shard() / "high-water").string();
  for (const bool is_missing : {true, false}) {
    if (is_missing) {
      std::filesystem::remove(file);
    } else {
      std::ofstream(file) << std::string(107, '\0');
    }
    const auto opened = OpenState();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    EXPECT_NE(opened.value()->remark().find(is_missing ? "missing" : "damaged"), std::string::npos);
    EXPECT_EQ(opened.value()->state().commits(), 5u);
    EXPECT_EQ(ReadCommitWatermark(file).value().synced, 5u);
  }
  EXPECT_EQ(OpenState().value()->remark(), "");
}

TEST_F(CommitWatermarkTest, IsNotMadeAnewBesideATornLog) {
  MakeState(5);
  CutLog();
  const auto with_it = OpenState();
  ASSERT_FALSE(with_it.ok());
  EXPECT_NE(with_it.status().message().find("lost its last"), std::string::npos);
  std::filesystem::remove_all(State());
  MakeState(5);
  CutLog();
  std::filesystem::remove(Shard() / "high-water");
  const auto without = OpenState();
  ASSERT_FALSE(without.ok());
  EXPECT_EQ(without.status().code(), ErrorCode::kInput);
  EXPECT_NE(without.status().message().find("high-water is missing"), std::string::npos);
}

}  // namespace
}  // namespace lethe::commit_watermark_test
