// Lines of plain and compressed files. Bad input first.

#include "connectors/file/line_reader.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <zstd.h>

#include "tests/unit/connectors/test_files.h"

namespace lethe::line_reader_test {
namespace {

using testing::Compress;
using testing::TemporaryDirectory;

struct Outcome {
  std::vector<std::string> lines;
  std::vector<std::int64_t> numbers;
  std::vector<bool> too_long;
  Status status;
};

Outcome ReadLines(const std::string& path,
                  std::size_t max_line_bytes = LineReader::kDefaultMaxLineBytes) {
  Outcome outcome;
  auto reader = LineReader::Open(path, max_line_bytes);
  if (!reader.ok()) {
    outcome.status = reader.status();
    return outcome;
  }
  LineReader::Line line;
  for (;;) {
    const auto found = reader.value()->Next(line);
    if (!found.ok()) outcome.status = found.status();
    if (!found.ok() || !found.value()) break;
    outcome.lines.emplace_back(line.text);
    outcome.numbers.push_back(line.number);
    outcome.too_long.push_back(line.too_long);
  }
  const auto again = reader.value()->Next(line);
  EXPECT_EQ(again.ok(), outcome.status.ok()) << "an end or an error stays";
  return outcome;
}

using Lines = std::vector<std::string>;

class LineReaderTest : public ::testing::Test {
 protected:
  Outcome ReadBytes(std::string_view bytes,
                    std::size_t max_line_bytes = LineReader::kDefaultMaxLineBytes) {
    return ReadLines(directory_.Write("lines", bytes), max_line_bytes);
  }

  TemporaryDirectory directory_;
};

// Text that does not compress to next to nothing.
std::string ManyLines(std::size_t count) {
  std::string text;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    text += std::to_string(i) + " " + std::to_string(state) + "\n";
  }
  return text;
}

TEST_F(LineReaderTest, AFileThatCannotBeOpenedIsAnInputErrorWithTheReason) {
  const Outcome missing = ReadLines(directory_.Path("missing"));
  EXPECT_EQ(missing.status.code(), ErrorCode::kInput);
  EXPECT_EQ(missing.status.message(),
            "cannot read " + directory_.Path("missing") + ": No such file or directory");

  const Outcome directory = ReadLines(directory_.path());
  EXPECT_EQ(directory.status.code(), ErrorCode::kInput);
  EXPECT_EQ(directory.status.message(), "cannot read " + directory_.path() + ": Is a directory");

  const Outcome below_a_file = ReadLines(directory_.Write("file", "x") + "/y");
  EXPECT_EQ(below_a_file.status.code(), ErrorCode::kInput);
}

TEST_F(LineReaderTest, AFileWithoutPermissionIsAnInputError) {
  const std::string path = directory_.Write("secret", "x");
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  // Root may read everything, so it has to be somebody else for a moment.
  const uid_t user = geteuid();
  const uid_t nobody = 65534;
  ASSERT_EQ(seteuid(user == 0 ? nobody : user), 0);
  const Outcome outcome = ReadLines(path);
  ASSERT_EQ(seteuid(user), 0);
  EXPECT_EQ(outcome.status.code(), ErrorCode::kInput);
  EXPECT_EQ(outcome.status.message(), "cannot read " + path + ": Permission denied");
}

class CompressedLineReaderTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::string Format() const { return GetParam() == std::string(".gz") ? "gzip" : "Zstandard"; }

  TemporaryDirectory directory_;
};

TEST_P(CompressedLineReaderTest, AFileTruncatedAtAnyByteIsAnErrorWithThePlace) {
  const std::string whole = Compress(GetParam(), "one\ntwo\nthree\n");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const std::string path = directory_.Write("cut", whole.substr(0, size));
    const Outcome outcome = ReadLines(path);
    ASSERT_EQ(outcome.status.code(), ErrorCode::kInput) << size;
    EXPECT_TRUE(outcome.status.message().starts_with(path + ", line ")) << size;
    EXPECT_TRUE(outcome.status.message().ends_with(", byte " + std::to_string(size) +
                                                   " of the file: the " + Format() +
                                                   " data breaks off; the file is truncated"))
        << outcome.status.message();
  }
}

TEST_P(CompressedLineReaderTest, ALargeFileTruncatedDeliversOnlyWholeLinesBeforeTheError) {
  const std::string text = ManyLines(100'000);
  const std::string whole = Compress(GetParam(), text);
  const std::string path = directory_.Write("cut", whole.substr(0, whole.size() / 2));
  const Outcome outcome = ReadLines(path);
  EXPECT_EQ(outcome.status.code(), ErrorCode::kInput);
  ASSERT_GT(outcome.lines.size(), 1000u);
  std::string read;
  for (const std::string& line : outcome.lines) read += line + "\n";
  EXPECT_TRUE(text.starts_with(read));
  const std::string place = ", line " + std::to_string(outcome.lines.size() + 1) + ", byte ";
  EXPECT_NE(outcome.status.message().find(place), std::string::npos) << outcome.status.message();
}

TEST_P(CompressedLineReaderTest, CorruptDataIsAnInputError) {
  const std::string text = ManyLines(1000);
  std::string corrupt = Compress(GetParam(), text);
  for (std::size_t i = corrupt.size() / 2; i < corrupt.size() / 2 + 50; ++i) corrupt[i] = '\x55';
  const Outcome outcome = ReadLines(directory_.Write("corrupt", corrupt));
  EXPECT_EQ(outcome.status.code(), ErrorCode::kInput);
  EXPECT_NE(outcome.status.message().find("the " + Format() + " data is corrupt ("),
            std::string::npos)
      << outcome.status.message();
}

TEST_P(CompressedLineReaderTest, AChangedByteBehindTheMagicNeverChangesTheTextUnnoticed) {
  const std::string text = "one 1\ntwo 22\nthree 333\n";
  const std::string whole = Compress(GetParam(), text);
  for (std::size_t i = 4; i < whole.size(); ++i) {
    for (const unsigned char flip : {0x01, 0x10, 0x80, 0xff}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ flip);
      const Outcome outcome = ReadLines(directory_.Write("changed", changed), 1000);
      if (!outcome.status.ok()) continue;
      EXPECT_EQ(outcome.lines, (Lines{"one 1", "two 22", "three 333"})) << "at byte " << i;
    }
  }
}

TEST_P(CompressedLineReaderTest, GarbageBehindTheDataIsAnInputError) {
  const std::string path = directory_.Write("tail", Compress(GetParam(), "one\n") + "garbage!");
  const Outcome outcome = ReadLines(path);
  EXPECT_EQ(outcome.lines, Lines{"one"});
  EXPECT_EQ(outcome.status.code(), ErrorCode::kInput);
}

TEST_P(CompressedLineReaderTest, SeveralPiecesInARowAreOneFile) {
  const std::string bytes =
      Compress(GetParam(), "one\ntw") + Compress(GetParam(), "") + Compress(GetParam(), "o\nthree");
  const Outcome outcome = ReadLines(directory_.Write("pieces", bytes));
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
  EXPECT_EQ(outcome.lines, (Lines{"one", "two", "three"}));
}

TEST_P(CompressedLineReaderTest, TheFormatIsToldByTheBytesNotByTheName) {
  EXPECT_EQ(ReadLines(directory_.Write("a.ndjson", Compress(GetParam(), "one\n"))).lines,
            Lines{"one"});
  EXPECT_EQ(ReadLines(directory_.Write("a" + std::string(GetParam()), "one\n")).lines,
            Lines{"one"});
}

TEST_P(CompressedLineReaderTest, AnEmptyFileHasNoLines) {
  const Outcome outcome = ReadLines(directory_.Write("empty", Compress(GetParam(), "")));
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_TRUE(outcome.lines.empty());
}

TEST_P(CompressedLineReaderTest, MoreThanAnyBufferHoldsIsReadWhole) {
  const std::string text = ManyLines(200'000);
  ASSERT_GT(text.size(), 4u << 20);
  const Outcome outcome = ReadLines(directory_.Write("large", Compress(GetParam(), text)));
  EXPECT_TRUE(outcome.status.ok());
  std::string read;
  for (const std::string& line : outcome.lines) read += line + "\n";
  EXPECT_TRUE(read == text);
}

TEST_P(CompressedLineReaderTest, AByteOrderMarkIsSkippedBehindTheCompression) {
  const std::string bytes = Compress(GetParam(), "\xef\xbb\xbfone\r\n");
  EXPECT_EQ(ReadLines(directory_.Write("bom", bytes)).lines, Lines{"one"});
}

INSTANTIATE_TEST_SUITE_P(Formats, CompressedLineReaderTest, ::testing::Values(".gz", ".zst"),
                         [](const auto& info) { return std::string(info.param + 1); });

TEST_F(LineReaderTest, ALineAboveTheLimitIsReportedAndTheNextIsReadNormally) {
  for (const std::size_t length : {11u, 12u, 13u, 1000u, 3'000'000u}) {
    for (const char* end : {"\n", "\r\n"}) {
      const std::string line(length, 'a');
      const Outcome outcome = ReadBytes("first\n" + line + end + "last", 10);
      EXPECT_TRUE(outcome.status.ok());
      EXPECT_EQ(outcome.lines, (Lines{"first", std::string(11, 'a'), "last"})) << length;
      EXPECT_EQ(outcome.too_long, (std::vector<bool>{false, true, false})) << length;
      EXPECT_EQ(outcome.numbers, (std::vector<std::int64_t>{1, 2, 3}));
    }
  }
}

TEST_F(LineReaderTest, ALineAtTheLimitIsNotTooLong) {
  const std::string line(10, 'a');
  for (const char* end : {"\n", "\r\n", "", "\r"}) {
    const Outcome outcome = ReadBytes(line + end, 10);
    EXPECT_EQ(outcome.lines, Lines{line});
    EXPECT_EQ(outcome.too_long, std::vector<bool>{false});
  }
  EXPECT_EQ(ReadBytes(line + "a", 10).too_long, std::vector<bool>{true});
}

TEST_F(LineReaderTest, ALineAtTheDefaultLimitFitsTheBuffer) {
  const std::string line(LineReader::kDefaultMaxLineBytes, 'a');
  const Outcome outcome = ReadBytes("x\n" + line + "\r\n" + line + "a\r\ny");
  EXPECT_EQ(outcome.lines, (Lines{"x", line, line + "a", "y"}));
  EXPECT_EQ(outcome.too_long, (std::vector<bool>{false, false, true, false}));
}

std::int64_t PeakKilobytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST_F(LineReaderTest, ALineOf100MegabytesDoesNotUseAsMuchMemory) {
  const std::string path = directory_.Path("long");
  {
    std::ofstream file(path, std::ios::binary);
    const std::string megabyte(1'000'000, 'a');
    for (int i = 0; i < 100; ++i) file << megabyte;
    file << "\nlast\n";
  }
  const std::int64_t before = PeakKilobytes();
  const Outcome outcome = ReadLines(path);
  EXPECT_LT(PeakKilobytes() - before, 20'000);
  EXPECT_EQ(outcome.too_long, (std::vector<bool>{true, false}));
  EXPECT_EQ(outcome.lines.back(), "last");
  EXPECT_EQ(outcome.numbers.back(), 2);
}

TEST_F(LineReaderTest, AnEmptyFileOrOneOfBlankLinesHasNoLines) {
  for (const char* text : {"", "\n", "\r\n\r\n", " \t \n\n", "\xef\xbb\xbf", "\xef\xbb\xbf\n"}) {
    const Outcome outcome = ReadBytes(text);
    EXPECT_TRUE(outcome.status.ok());
    EXPECT_TRUE(outcome.lines.empty()) << text;
  }
}

TEST_F(LineReaderTest, BlankLinesAreSkippedButCounted) {
  const Outcome outcome = ReadBytes("\none\n  \t\n\r\ntwo\n\n");
  EXPECT_EQ(outcome.lines, (Lines{"one", "two"}));
  EXPECT_EQ(outcome.numbers, (std::vector<std::int64_t>{2, 5}));
}

TEST_F(LineReaderTest, LinesMayEndWithCarriageReturnsOrNotAtAll) {
  EXPECT_EQ(ReadBytes("one\r\ntwo\nthree").lines, (Lines{"one", "two", "three"}));
  EXPECT_EQ(ReadBytes("one\r\ntwo\r").lines, (Lines{"one", "two"}));
  EXPECT_EQ(ReadBytes("a\rb\n").lines, Lines{"a\rb"});
}

TEST_F(LineReaderTest, AByteOrderMarkIsSkippedAtTheBeginningOnly) {
  EXPECT_EQ(ReadBytes("\xef\xbb\xbfone\n\xef\xbb\xbftwo").lines, (Lines{"one", "\xef\xbb\xbftwo"}));
  EXPECT_EQ(ReadBytes("\xef\xbb").lines, Lines{"\xef\xbb"});
}

TEST_F(LineReaderTest, APipeIsReadAsItComes) {
  const std::string path = directory_.Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string bytes = Compress(".gz", "one\ntwo\n");
  std::thread writer([&] {
    std::ofstream pipe(path, std::ios::binary);
    for (const char byte : bytes) pipe << byte << std::flush;
  });
  const Outcome outcome = ReadLines(path);
  writer.join();
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
  EXPECT_EQ(outcome.lines, (Lines{"one", "two"}));
}

TEST_F(LineReaderTest, ASkippableFrameOfZstandardIsSkipped) {
  const std::string frame("\x53\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  EXPECT_EQ(ReadBytes(frame + Compress(".zst", "one\n") + frame).lines, Lines{"one"});
}

TEST_F(LineReaderTest, ProgressCountsTheBytesOfTheFileAsItIs) {
  const std::string bytes = Compress(".gz", ManyLines(1000));
  auto reader = LineReader::Open(directory_.Write("progress", bytes));
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader.value()->bytes_total(), static_cast<std::int64_t>(bytes.size()));
  EXPECT_EQ(reader.value()->bytes_read(), 0);
  LineReader::Line line;
  for (;;) {
    const auto found = reader.value()->Next(line);
    ASSERT_TRUE(found.ok());
    if (!found.value()) break;
  }
  EXPECT_EQ(reader.value()->bytes_read(), static_cast<std::int64_t>(bytes.size()));
}

}  // namespace
}  // namespace lethe::line_reader_test
