// Files written line by line. Failures first.

#include "connectors/file/stream_writer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/file/line_reader.h"
#include "tests/unit/connectors/test_files.h"

namespace lethe::stream_writer_test {
namespace {

using testing::ReadAll;
using testing::TemporaryDirectory;

class StreamWriterTest : public ::testing::Test {
 protected:
  std::size_t FileCount() const {
    const std::filesystem::directory_iterator files(directory_.path());
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  TemporaryDirectory directory_;
};

Status WriteLines(const std::string& path, const std::vector<std::string>& lines) {
  auto writer = StreamWriter::Open(path);
  if (!writer.ok()) return writer.status();
  for (const std::string& line : lines) LETHE_RETURN_IF_ERROR(writer.value()->WriteLine(line));
  return writer.value()->Close();
}

TEST_F(StreamWriterTest, ADirectoryThatDoesNotExistIsADiskError) {
  const std::string path = directory_.Path("missing/stream");
  const auto writer = StreamWriter::Open(path);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.status().code(), ErrorCode::kDisk);
  EXPECT_EQ(writer.status().message(), "cannot write " + path + ": No such file or directory");
}

TEST_F(StreamWriterTest, ADirectoryAsTheTargetIsADiskError) {
  const auto writer = StreamWriter::Open(directory_.path());
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.status().code(), ErrorCode::kDisk);
  EXPECT_EQ(FileCount(), 0u);
}

TEST_F(StreamWriterTest, AFullDiskIsADiskErrorThatStays) {
  auto writer = StreamWriter::Open("/dev/full");
  ASSERT_TRUE(writer.ok());
  const std::string line(300'000, 'a');
  const Status status = writer.value()->WriteLine(line);
  EXPECT_EQ(status.code(), ErrorCode::kDisk);
  EXPECT_EQ(status.message(), "cannot write /dev/full: No space left on device");
  EXPECT_EQ(writer.value()->WriteLine("short").code(), ErrorCode::kDisk);
  EXPECT_EQ(writer.value()->Close().code(), ErrorCode::kDisk);
}

TEST_F(StreamWriterTest, AFullDiskIsSeenAtTheLatestByClose) {
  EXPECT_EQ(WriteLines("/dev/full", {"short"}).code(), ErrorCode::kDisk);
}

TEST_F(StreamWriterTest, WithoutCloseNothingIsLeftAndTheOldFileStays) {
  const std::string path = directory_.Write("stream", "old");
  {
    auto writer = StreamWriter::Open(path);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer.value()->WriteLine(std::string(1'000'000, 'a')).ok());
    EXPECT_EQ(FileCount(), 2u);
    EXPECT_EQ(ReadAll(path), "old");
  }
  EXPECT_EQ(FileCount(), 1u);
  EXPECT_EQ(ReadAll(path), "old");
}

TEST_F(StreamWriterTest, WhenTheRenameFailsNothingIsLeft) {
  const std::string path = directory_.Path("stream");
  {
    auto writer = StreamWriter::Open(path);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(std::filesystem::create_directory(path));
    const Status status = writer.value()->Close();
    EXPECT_EQ(status.code(), ErrorCode::kDisk);
    EXPECT_EQ(status.message(), "cannot rename to " + path + ": Is a directory");
  }
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(StreamWriterTest, CloseReplacesTheOldFileAndLeavesNoOther) {
  const std::string path = directory_.Write("stream", "old");
  ASSERT_TRUE(WriteLines(path, {"one", "", "two"}).ok());
  EXPECT_EQ(ReadAll(path), "one\n\ntwo\n");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(StreamWriterTest, AFileHasTheModeThatTheUmaskLeaves) {
  const mode_t old = umask(027);
  ASSERT_TRUE(WriteLines(directory_.Path("stream"), {"one"}).ok());
  umask(old);
  struct stat info = {};
  ASSERT_EQ(stat(directory_.Path("stream").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0640u);
}

TEST_F(StreamWriterTest, TwoWritersOfOneFileDoNotMix) {
  const std::string path = directory_.Path("stream");
  auto first = StreamWriter::Open(path);
  auto second = StreamWriter::Open(path);
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(first.value()->WriteLine("first").ok());
  ASSERT_TRUE(second.value()->WriteLine("second").ok());
  ASSERT_TRUE(first.value()->Close().ok());
  EXPECT_EQ(ReadAll(path), "first\n");
  ASSERT_TRUE(second.value()->Close().ok());
  EXPECT_EQ(ReadAll(path), "second\n");
}

TEST_F(StreamWriterTest, ADeviceIsWrittenDirectlyAndNotReplaced) {
  ASSERT_TRUE(WriteLines("/dev/null", {"one"}).ok());
  struct stat info = {};
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST_F(StreamWriterTest, WhatIsWrittenIsReadBackInEveryForm) {
  std::vector<std::string> lines(100'000);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = "line " + std::to_string(i * i % 65537);
  for (const char* name : {"a.ndjson", "a.ndjson.gz", "a.ndjson.zst"}) {
    const std::string path = directory_.Path(name);
    ASSERT_TRUE(WriteLines(path, lines).ok());
    auto reader = LineReader::Open(path);
    ASSERT_TRUE(reader.ok());
    std::vector<std::string> read;
    LineReader::Line line;
    for (;;) {
      const auto found = reader.value()->Next(line);
      ASSERT_TRUE(found.ok()) << found.status().message();
      if (!found.value()) break;
      read.emplace_back(line.text);
    }
    EXPECT_TRUE(read == lines) << name;
  }
}

TEST_F(StreamWriterTest, TheEndingOfTheNameChoosesTheForm) {
  const std::vector<std::string> line = {"one"};
  ASSERT_TRUE(WriteLines(directory_.Path("a.gz"), line).ok());
  ASSERT_TRUE(WriteLines(directory_.Path("a.zst"), line).ok());
  ASSERT_TRUE(WriteLines(directory_.Path("a.gz.txt"), line).ok());
  EXPECT_TRUE(ReadAll(directory_.Path("a.gz")).starts_with("\x1f\x8b"));
  EXPECT_TRUE(ReadAll(directory_.Path("a.zst")).starts_with("\x28\xb5\x2f\xfd"));
  EXPECT_EQ(ReadAll(directory_.Path("a.gz.txt")), "one\n");
}

TEST_F(StreamWriterTest, TheSameLinesGiveTheSameBytes) {
  for (const char* ending : {".gz", ".zst"}) {
    const std::string first = directory_.Path(std::string("first") + ending);
    const std::string second = directory_.Path(std::string("second") + ending);
    ASSERT_TRUE(WriteLines(first, {"one", "two"}).ok());
    ASSERT_TRUE(WriteLines(second, {"one", "two"}).ok());
    EXPECT_EQ(ReadAll(first), ReadAll(second));
  }
}

TEST_F(StreamWriterTest, AFileWithoutLinesIsEmptyAndWhole) {
  for (const char* name : {"a", "a.gz", "a.zst"}) {
    ASSERT_TRUE(WriteLines(directory_.Path(name), {}).ok());
    auto reader = LineReader::Open(directory_.Path(name));
    LineReader::Line line;
    const auto found = reader.value()->Next(line);
    ASSERT_TRUE(found.ok()) << name;
    EXPECT_FALSE(found.value());
  }
}

}  // namespace
}  // namespace lethe::stream_writer_test
