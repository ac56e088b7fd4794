// Recordings in the binary form. Damage first.

#include <test_paths.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/binary/file_format.h"
#include "connectors/file/recorded_stream.h"
#include "connectors/record_limits.h"
#include "tests/support/binary_records.h"
#include "tests/unit/connectors/test_files.h"

namespace lethe::file_test {
namespace {

using testing::At;
using testing::Delete;
using testing::DescribeAll;
using testing::EncodeFile;
using testing::FileOutcome;
using testing::Learn;
using testing::ManyRecords;
using testing::ReadBytes;
using testing::SomeRecords;

constexpr const char* kDamaged = "; the file is damaged, record it or copy it again";

void ExpectError(const FileOutcome& outcome, const std::string& message) {
  EXPECT_EQ(outcome.status.code(), ErrorCode::kInput);
  EXPECT_EQ(outcome.status.message(), message);
}

TEST(BinaryFile, EveryFlippedBitIsNoticedAndItsPlaceTold) {
  const std::string whole = EncodeFile(SomeRecords());
  const std::vector<std::string> records = DescribeAll(SomeRecords());
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
      const FileOutcome outcome = ReadBytes(damaged);
      ASSERT_EQ(outcome.status.code(), ErrorCode::kInput) << byte;
      ASSERT_NE(outcome.status.message().find("file, byte "), std::string::npos)
          << outcome.status.message();
      ASSERT_NE(outcome.status.message().find(", record "), std::string::npos);
      // No record of a damaged block is delivered. What stands behind it is found out too late.
      ASSERT_TRUE(outcome.records.empty() || outcome.records == records) << byte;
    }
  }
}

TEST(BinaryFile, TheWrongByteIsWithinThePartThatIsTold) {
  const std::string whole = EncodeFile(ManyRecords(200));
  std::string damaged = whole;
  damaged[100'000] ^= 1;
  const FileOutcome outcome = ReadBytes(damaged);
  EXPECT_EQ(outcome.records.size(), 62u);
  const std::size_t block = whole.find("LBLK", 20);
  EXPECT_LT(block, 100'000u);
  EXPECT_GT(whole.find("LBLK", block + 4), 100'000u);
  ExpectError(outcome, "file, byte " + std::to_string(block) +
                           ", record 63: the checksum of the block does not match; it held 62 "
                           "records" +
                           kDamaged);
}

TEST(BinaryFile, EveryTruncationIsNoticed) {
  const std::string whole = EncodeFile(SomeRecords());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const FileOutcome outcome = ReadBytes(whole.substr(0, length));
    const std::string record = outcome.records.empty() ? "1" : "4";
    ExpectError(outcome, "file, byte " + std::to_string(length) + ", record " + record +
                             ": the recording breaks off; the file is truncated");
  }
}

TEST(BinaryFile, WhatFollowsBehindTheEndIsNoticed) {
  const std::string whole = EncodeFile(SomeRecords());
  const std::string message = "file, byte " + std::to_string(whole.size()) +
                              ", record 4: bytes follow behind the end of the recording" + kDamaged;
  ExpectError(ReadBytes(whole + '\0'), message);
  ExpectError(ReadBytes(whole + whole), message);
}

TEST(BinaryFile, AnotherBeginningIsRefused) {
  ExpectError(
      ReadBytes("{\"type\":\"learn\"}"),
      "file, byte 0, record 1: not the first bytes of a binary recording" + std::string(kDamaged));
}

TEST(BinaryFile, ALaterVersionIsRefusedWithWhatThisProgramReads) {
  std::string bytes;
  binary_file::AppendHeader({.version = 7}, bytes);
  ExpectError(ReadBytes(bytes + "whatever version 7 has here"),
              "file: version 7 of the binary form; this program reads version 1");
  std::string flags(binary_file::kMagic);
  flags += std::string("\x01\x00\x04\x00", 4);
  wire::Append(binary_file::Checksum(flags), flags);
  ExpectError(ReadBytes(flags),
              "file: flags that version 1 does not have; this program reads version 1");
}

// A file whose only block is `payload`, with checksums that fit.
std::string FileOfBlock(const binary_file::BlockHeader& header, const std::string& payload) {
  std::string bytes;
  binary_file::AppendHeader({}, bytes);
  binary_file::AppendBlock(header, payload, bytes);
  return bytes;
}

std::string FileOfPayload(const std::string& payload, std::uint32_t records) {
  return FileOfBlock({static_cast<std::uint32_t>(payload.size()), records, 0}, payload);
}

TEST(BinaryFile, ABlockThatFitsItsChecksumButNotTheFormatIsRefused) {
  const std::string place = "file, byte 16, record 1: ";
  const std::string unfit = "record 1 does not fit its block";
  const std::string unreadable = "the place of record 1 is unreadable";
  ExpectError(ReadBytes(FileOfPayload("", 1)), place + unfit + kDamaged);
  ExpectError(ReadBytes(FileOfPayload("\x05", 1)), place + unfit + kDamaged);
  ExpectError(ReadBytes(FileOfPayload(std::string(12, '\xff'), 1)), place + unfit + kDamaged);
  ExpectError(ReadBytes(FileOfPayload(std::string("\0", 1), 1)), place + unreadable + kDamaged);
  ExpectError(ReadBytes(FileOfPayload("\x02\x01\x01", 1)), place + unreadable + kDamaged);
  const std::string partition = "\x07\x80\x80\x80\x80\x08\x01\x01";  // 2^31
  ExpectError(ReadBytes(FileOfPayload(partition, 1)), place + unreadable + kDamaged);
  const std::string last_offset = "\x0b\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01";  // 2^63 - 1
  ExpectError(ReadBytes(FileOfPayload(last_offset, 1)), place + unreadable + kDamaged);
  const std::string time = "\x0a\x01\x01\x81\x80\x80\x80\x80\x80\x80\x10";  // 2^53 + 1
  ExpectError(ReadBytes(FileOfPayload(time, 1)), place + unreadable + kDamaged);
  const std::string two = "\x03\x01\x01\x01\x03\x01\x02\x01";
  ExpectError(ReadBytes(FileOfPayload(two, 1)),
              "file, byte 16, record 2: bytes follow behind the last record of the block" +
                  std::string(kDamaged));
  ExpectError(ReadBytes(FileOfPayload(two, 3)),
              "file, byte 16, record 3: record 3 does not fit its block" + std::string(kDamaged));
  ExpectError(ReadBytes(FileOfPayload("", 0)),
              place + "the block has no records, or is too large" + kDamaged);
  ExpectError(ReadBytes(FileOfBlock({0xffffffff, 1, 0}, "")),
              place + "the block has no records, or is too large" + kDamaged);
}

TEST(BinaryFile, BlocksThatAreLostDoubledOrMovedAreNoticed) {
  const std::string whole = EncodeFile(ManyRecords(200));
  const auto footer_at = whole.find("LEND");
  std::vector<std::string> blocks;
  for (std::size_t at = whole.find("LBLK"); at < footer_at;) {
    const std::size_t next = std::min(whole.find("LBLK", at + 4), footer_at);
    blocks.push_back(whole.substr(at, next - at));
    at = next;
  }
  ASSERT_EQ(blocks.size(), 4u);
  const std::string head = whole.substr(0, 16);
  const std::string tail = whole.substr(footer_at);
  ASSERT_TRUE(ReadBytes(head + blocks[0] + blocks[1] + blocks[2] + blocks[3] + tail).status.ok());

  const auto expect_first = [](const std::string& bytes, const std::string& record) {
    const FileOutcome outcome = ReadBytes(bytes);
    EXPECT_NE(outcome.status.message().find("the block begins with record " + record +
                                            "; blocks are lost, doubled or in the wrong order"),
              std::string::npos)
        << outcome.status.message();
  };
  expect_first(head + blocks[0] + blocks[2] + blocks[3] + tail, "125");
  expect_first(head + blocks[0] + blocks[0] + tail, "1");
  expect_first(head + blocks[1] + blocks[0] + tail, "63");

  const std::string footer = "the footer is damaged, or not that of the blocks before it";
  EXPECT_NE(ReadBytes(head + blocks[0] + tail).status.message().find(footer), std::string::npos);
}

TEST(BinaryFile, AMessageThatIsNoEventIsARejectionAtItsPlace) {
  std::string payload;
  wire::AppendVarint(7, payload);
  payload += std::string("\x05\x09\x01\xb1\x01\x02\x00", 7);  // a delete that names nothing
  const FileOutcome outcome = ReadBytes(FileOfPayload(payload, 1));
  ASSERT_EQ(outcome.records.size(), 1u);
  EXPECT_EQ(outcome.records[0],
            "5/9@0 rejected: record 1: a delete needs an id, a subject or a message key");
}

TEST(BinaryFile, ARecordWithARejectionIsNotWritten) {
  BinaryFileEncoder encoder({});
  std::string bytes;
  Record bad = At(0, 1, 1, Event{});
  bad.rejection = Rejection{Reason::kWrongType, "line 2: x is not an array", false};
  ASSERT_FALSE(encoder.Add(SomeRecords()[0], bytes));
  EXPECT_EQ(encoder.Add(bad, bytes)->message, "line 2: x is not an array");
  EXPECT_EQ(encoder.Add(At(0, 2, 1, Learn("", {1}, 1)), bytes)->message, "id is empty");
  ASSERT_FALSE(encoder.Add(SomeRecords()[1], bytes));
  encoder.Finish(bytes);
  EXPECT_EQ(ReadBytes(bytes).records, DescribeAll({SomeRecords()[0], SomeRecords()[1]}));
}

TEST(BinaryFile, EverythingIsReadBackHoweverTheBytesCome) {
  std::vector<Record> records = SomeRecords();
  records.push_back(At(kMaxPartition, kMaxOffset, kMaxTimeMs, Delete("e", {})));
  for (const std::int64_t time : {kNoTime.value, std::int64_t{5}, kMaxTimeMs}) {
    records.push_back(At(7, time + 1, time, Delete("e", {})));
    records.back().arrival = {kMaxTimeMs - 1};
    records.back().is_broker_time = time == kMaxTimeMs;
  }
  const std::string bytes = EncodeFile(records);
  for (const std::size_t piece : {1u, 2u, 7u, 1000u}) {
    const FileOutcome outcome = ReadBytes(bytes, piece);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
    EXPECT_EQ(outcome.records, DescribeAll(records));
  }
  EXPECT_EQ(EncodeFile(records), bytes) << "the same records give the same bytes";
}

TEST(BinaryFile, AFileWithoutRecordsIsWhole) {
  const FileOutcome outcome = ReadBytes(EncodeFile({}));
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
  EXPECT_TRUE(outcome.records.empty());
}

TEST(BinaryFile, ALargeRecordHasABlockOfItsOwn) {
  const std::size_t most = (BinaryEventCodec::kDefaultMaxBytes - 100) / sizeof(double);
  const std::vector<Record> records = {At(0, 0, 0, Learn("a", {1}, 1)),
                                       At(0, 1, 0, Learn("b", std::vector<double>(most, 0.5), 1)),
                                       At(0, 2, 0, Learn("c", {1}, 1))};
  const FileOutcome outcome = ReadBytes(EncodeFile(records), std::size_t{1} << 20);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
  EXPECT_EQ(outcome.records.size(), 3u);
  EXPECT_TRUE(outcome.records == DescribeAll(records));
}

// The bytes of the hex dump in the document, whose offsets must be right.
std::string DocumentedBytes() {
  std::ifstream document(LETHE_SOURCE_DIR "/docs/formats/binary.md");
  std::string bytes;
  for (std::string line; std::getline(document, line);) {
    // "    0010  4c 42 4c 4b  | what it is"
    const std::size_t bar = line.find("  |");
    if (!line.starts_with("    ") || bar == std::string::npos) continue;
    std::istringstream words(line.substr(0, bar));
    std::string word;
    words >> word;
    EXPECT_EQ(std::stoul(word, nullptr, 16), bytes.size()) << line;
    while (words >> word) bytes.push_back(static_cast<char>(std::stoi(word, nullptr, 16)));
  }
  return bytes;
}

TEST(BinaryFile, TheDocumentShowsTheBytesThatAreWrittenAndRead) {
  std::vector<Record> records = {At(0, 12, 1'700'000'000'000, Learn("e-81", {0.5, -0.25}, 1)),
                                 At(0, 13, kNoTime.value, Delete({}, "user-7"))};
  records[0].event.subject = "user-7";
  records[1].event.request = "rtbf-2291";
  const std::string bytes = DocumentedBytes();
  EXPECT_EQ(bytes.size(), 135u);
  EXPECT_TRUE(EncodeFile(records) == bytes);
  const FileOutcome outcome = ReadBytes(bytes);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
  EXPECT_EQ(outcome.records, DescribeAll(records));
}

}  // namespace
}  // namespace lethe::file_test
