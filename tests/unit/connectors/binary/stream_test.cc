// A recorded stream in binary, as a file that may be compressed, cut off or damaged.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/binary/file_format.h"
#include "connectors/file/recorded_stream.h"
#include "connectors/record_limits.h"
#include "tests/support/binary_records.h"
#include "tests/unit/connectors/test_files.h"

namespace lethe::stream_test {
namespace {

using testing::At;
using testing::Compress;
using testing::Describe;
using testing::DescribeAll;
using testing::EncodeFile;
using testing::Learn;
using testing::ManyRecords;
using testing::SomeRecords;
using testing::TemporaryDirectory;

constexpr const char* kDamaged = "; the file is damaged, record it or copy it again";

class BinaryStreamTest : public ::testing::Test {
 protected:
  struct Outcome {
    std::vector<std::string> records;
    Status status;
    bool is_bare = false;
    bool is_binary = false;
  };

  Outcome Read(const std::string& bytes) {
    Outcome outcome;
    auto stream = RecordedStream::Open(directory_.Write("stream", bytes));
    std::vector<Record> batch;
    for (;;) {
      const auto count = stream.value()->ReadRecords(batch, 2);
      if (!count.ok()) outcome.status = count.status();
      if (!count.ok() || count.value() == 0) break;
      for (std::size_t i = 0; i < count.value(); ++i) {
        outcome.records.push_back(Describe(batch[i]));
      }
    }
    outcome.is_bare = stream.value()->is_bare();
    outcome.is_binary = stream.value()->is_binary();
    return outcome;
  }

  std::string path() const { return directory_.Path("stream"); }

  TemporaryDirectory directory_;
};

TEST_F(BinaryStreamTest, ADamagedMagicIsNotTakenForBadJson) {
  const std::string whole = EncodeFile(SomeRecords());
  for (std::size_t byte = 0; byte < 8; ++byte) {
    std::string damaged = whole;
    damaged[byte] = '{';
    EXPECT_EQ(Read(damaged).status.message(),
              path() + ", byte 0, record 1: not the first bytes of a binary recording" + kDamaged);
  }
  std::string as_text = whole;
  as_text.erase(as_text.find('\r'), 1);
  EXPECT_EQ(Read(as_text).status.code(), ErrorCode::kInput);
}

TEST_F(BinaryStreamTest, AFileCutOffInItsFirstBytesIsTruncated) {
  const std::string whole = EncodeFile(SomeRecords());
  for (std::size_t length = 1; length < 40; ++length) {
    EXPECT_EQ(Read(whole.substr(0, length)).status.message(),
              path() + ", byte " + std::to_string(length) +
                  ", record 1: the recording breaks off; the file is truncated");
  }
}

TEST_F(BinaryStreamTest, ShortTextIsStillText) {
  for (const char* text : {"{}", "x", "\xb1x\n{", "1\n2\n3\n4\n5"}) {
    const Outcome outcome = Read(text);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
    EXPECT_FALSE(outcome.is_binary);
    EXPECT_FALSE(outcome.records.empty());
  }
}

TEST_F(BinaryStreamTest, AFileWithoutRecordsHoldsNoEvents) {
  EXPECT_EQ(Read(EncodeFile({})).status.message(), path() + " holds no events");
}

TEST_F(BinaryStreamTest, OffsetsThatDoNotIncreaseMakeTheRecordingUnreadable) {
  const Outcome outcome =
      Read(EncodeFile({At(1, 5, 0, Learn("a", {1}, 1)), At(2, 5, 0, Learn("b", {1}, 1)),
                       At(1, 5, 0, Learn("c", {1}, 1))}));
  EXPECT_EQ(outcome.records.size(), 2u);
  EXPECT_EQ(outcome.status.message(), path() +
                                          ", record 3: offset 5 of partition 1 comes after offset "
                                          "5; offsets must increase within a partition");
}

TEST_F(BinaryStreamTest, DamageInACompressedFileIsNoticedToo) {
  const std::string whole = EncodeFile(ManyRecords(100));
  for (const char* ending : {".gz", ".zst"}) {
    std::string compressed = Compress(ending, whole);
    const Outcome truncated = Read(compressed.substr(0, compressed.size() - 3));
    EXPECT_EQ(truncated.status.code(), ErrorCode::kInput) << ending;
    EXPECT_NE(truncated.status.message().find(", record "), std::string::npos);
    const Outcome inner = Read(Compress(ending, whole.substr(0, whole.size() - 3)));
    EXPECT_NE(inner.status.message().find("the recording breaks off"), std::string::npos);
  }
}

TEST_F(BinaryStreamTest, IsRecognisedPlainAndCompressed) {
  const std::string whole = EncodeFile(SomeRecords(), {.bare = true});
  for (const std::string& bytes : {whole, Compress(".gz", whole), Compress(".zst", whole)}) {
    const Outcome outcome = Read(bytes);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
    EXPECT_EQ(outcome.records, DescribeAll(SomeRecords()));
    EXPECT_TRUE(outcome.is_binary);
    EXPECT_TRUE(outcome.is_bare);
  }
  EXPECT_FALSE(Read(EncodeFile(SomeRecords())).is_bare);
}

}  // namespace
}  // namespace lethe::stream_test
