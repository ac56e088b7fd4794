// The disk fails under the daemon: full, read-only, damaged. It says so, and loses nothing.

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_disk_test {
namespace {

void FlipTheMiddleByte(const std::filesystem::path& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(path) / 2);
  file.seekg(middle);
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(middle);
  file.put(byte);
}

class RunDiskTest : public DaemonTest {
 protected:
  void TearDown() override {
    if (mounted_) std::system(("umount -l " + state_path.string()).c_str());
    DaemonTest::TearDown();
  }

  // False where that is not allowed.
  bool Mount(const std::string& options) {
    std::filesystem::create_directories(state_path);
    const bool ok = std::system(("mount -t tmpfs -o " + options + " tmpfs " + state_path.string() +
                                 " 2>/dev/null")
                                    .c_str()) == 0;
    mounted_ |= ok;
    return ok;
  }

  void ReadAll(std::int64_t records) {
    const auto daemon = Start();
    WaitForRecords(*daemon, records);
    daemon->Signal(SIGTERM);
    ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
    const Replayed replayed = Replay(RecordTopic(topic));
    EXPECT_EQ(PublishedChain(), replayed.chain);
  }

  std::filesystem::path NewestFile(const std::string& extension) {
    std::filesystem::path newest;
    std::uintmax_t size = 0;
    for (const auto& entry : std::filesystem::directory_iterator(state_path / "shard-0" / "db")) {
      if (entry.path().extension() == extension && entry.file_size() >= size) {
        newest = entry.path();
        size = entry.file_size();
      }
    }
    EXPECT_FALSE(newest.empty()) << "no " << extension;
    return newest;
  }

  void ExpectDamageFound(int exit_code, const std::string& because) {
    const auto daemon = Start();
    EXPECT_EQ(daemon->Wait(), exit_code) << daemon->Log();
    EXPECT_TRUE(daemon->Says(because, {})) << daemon->Log();
  }

  void FillUp(double deletions) {
    if (!Mount("size=3m")) GTEST_SKIP() << "may not mount";
    const auto messages = Generate(60'000, deletions);
    Send(messages);
    {
      const auto daemon = Start();
      EXPECT_EQ(daemon->Wait(std::chrono::minutes(2)), 74) << daemon->Log();
      EXPECT_TRUE(daemon->Says("No space left", {})) << daemon->Log();
      EXPECT_TRUE(daemon->Says("goes on from the last commit", {})) << daemon->Log();
    }
    // Still full: the same answer, and no harm.
    {
      const auto daemon = Start();
      EXPECT_EQ(daemon->Wait(std::chrono::minutes(2)), 74) << daemon->Log();
    }
    ASSERT_TRUE(Mount("remount,size=200m"));
    ReadAll(static_cast<std::int64_t>(messages.size()));
  }

  bool mounted_ = false;
};

TEST_F(RunDiskTest, AFullDiskEndsTheRunAndSpaceLetsItGoOn) { FillUp(0.01); }

TEST_F(RunDiskTest, AFullDiskEndsTheRunInModeActiveToo) {
  Config("forgetting: {mode: active}\n");
  FillUp(0.0005);
}

TEST_F(RunDiskTest, AReadOnlyDiskIsRefused) {
  if (!Mount("size=20m")) GTEST_SKIP() << "may not mount";
  const auto messages = Generate(1000, 0.01);
  const auto records = static_cast<std::int64_t>(messages.size());
  Send(messages);
  ReadAll(records);
  ASSERT_TRUE(Mount("remount,ro"));
  ExpectDamageFound(74, "Read-only file system");
  ASSERT_TRUE(Mount("remount,rw"));
  ReadAll(records);
}

TEST_F(RunDiskTest, ALogThatWasCutShortIsRefused) {
  const auto messages = Generate(3000, 0.01);
  Send(messages);
  const auto daemon = Start();
  WaitForRecords(*daemon, static_cast<std::int64_t>(messages.size()));
  daemon->Signal(SIGKILL);
  daemon->Wait();
  const auto log = NewestFile(".log");
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 100);
  ExpectDamageFound(65, "has lost its last");
}

TEST_F(RunDiskTest, AFlippedByteInTheLogIsRefused) {
  const auto messages = Generate(3000, 0.01);
  Send(messages);
  const auto daemon = Start();
  WaitForRecords(*daemon, static_cast<std::int64_t>(messages.size()));
  daemon->Signal(SIGKILL);
  daemon->Wait();
  const auto log = NewestFile(".log");
  FlipTheMiddleByte(log);
  const auto again = Start();
  EXPECT_EQ(again->Wait(), 65) << again->Log();
}

TEST_F(RunDiskTest, AFlippedByteInATableIsRefused) {
  const auto messages = Generate(3000, 0.01);
  Send(messages);
  ReadAll(static_cast<std::int64_t>(messages.size()));
  const auto table = NewestFile(".sst");
  FlipTheMiddleByte(table);
  ExpectDamageFound(65, "damaged");
}

TEST_F(RunDiskTest, PayloadsThatWereCutShortAreRefused) {
  Config("forgetting: {mode: active}\n");
  const auto messages = Generate(3000, 0.001);
  Send(messages);
  ReadAll(static_cast<std::int64_t>(messages.size()));
  for (const auto& entry :
       std::filesystem::directory_iterator(state_path / "shard-0" / "db" / "payloads")) {
    std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
  }
  ExpectDamageFound(65, "damaged");
}

}  // namespace
}  // namespace lethe::testing::run_disk_test
