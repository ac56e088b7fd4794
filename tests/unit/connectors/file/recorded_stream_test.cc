// A recorded stream as a source. Bad input first.

#include "connectors/file/recorded_stream.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/binary_records.h"
#include "tests/unit/connectors/test_files.h"

namespace lethe::recorded_stream_test {
namespace {

using testing::Compress;
using testing::TemporaryDirectory;

// What a test needs of a record; the batch that it was in is reused.
struct Seen {
  std::int64_t shard;
  std::int64_t offset;
  std::int64_t timestamp;
  std::string id;
  std::string rejection;
  friend bool operator==(const Seen&, const Seen&) = default;
};

struct Outcome {
  std::vector<Seen> records;
  Status status;

  std::vector<std::int64_t> Offsets() const {
    std::vector<std::int64_t> offsets;
    for (const Seen& record : records) offsets.push_back(record.offset);
    return offsets;
  }
};

Outcome ReadStream(const std::string& path, std::size_t limit = 3,
                   std::size_t max_line_bytes = LineReader::kDefaultMaxLineBytes) {
  Outcome outcome;
  auto stream = RecordedStream::Open(path, max_line_bytes);
  if (!stream.ok()) {
    outcome.status = stream.status();
    return outcome;
  }
  std::vector<Record> batch;
  for (;;) {
    const auto count = stream.value()->ReadRecords(batch, limit);
    if (!count.ok()) outcome.status = count.status();
    if (!count.ok() || count.value() == 0) break;
    EXPECT_LE(count.value(), limit);
    for (std::size_t i = 0; i < count.value(); ++i) {
      const Record& record = batch[i];
      outcome.records.push_back({record.shard.value, record.offset.value, record.timestamp.value,
                                 record.event.id.value_or(""),
                                 record.rejection ? record.rejection->message : ""});
    }
  }
  EXPECT_EQ(stream.value()->ReadRecords(batch, limit).ok(), outcome.status.ok()) << "it stays so";
  return outcome;
}

class RecordedStreamTest : public ::testing::Test {
 protected:
  Outcome ReadText(std::string_view text, std::size_t limit = 3) {
    return ReadStream(directory_.Write("stream", text), limit);
  }

  void ExpectUnreadable(const std::string& text, const std::string& message) {
    const Outcome outcome = ReadText(text);
    EXPECT_EQ(outcome.status.code(), ErrorCode::kInput) << text;
    EXPECT_EQ(outcome.status.message(), directory_.Path("stream") + message) << text;
  }

  TemporaryDirectory directory_;
};

std::string Bare(const std::string& id) {
  return R"({"type":"learn","id":")" + id + R"(","x":[1],"y":1})" + "\n";
}

std::string Enveloped(const std::string& place, const std::string& id) {
  return "{" + place + R"(,"value":)" + Bare(id).substr(0, Bare(id).size() - 1) + "}\n";
}

TEST_F(RecordedStreamTest, AStreamWithoutEventsIsUnreadable) {
  for (const char* text : {"", "\n\n", "  \r\n", "\xef\xbb\xbf"}) {
    ExpectUnreadable(text, " holds no events");
  }
  ExpectUnreadable(Compress(".gz", ""), " holds no events");
  EXPECT_EQ(ReadStream(directory_.Path("missing")).status.code(), ErrorCode::kInput);
  EXPECT_EQ(ReadStream("/dev/null").status.message(), "/dev/null holds no events");
}

TEST_F(RecordedStreamTest, OffsetsThatDoNotIncreaseMakeTheRecordingUnreadable) {
  ExpectUnreadable(Enveloped(R"("offset":5)", "a") + "\n" + Enveloped(R"("offset":5)", "b"),
                   ", line 3: offset 5 of partition 0 comes after offset 5; offsets must increase "
                   "within a partition");
  ExpectUnreadable(Enveloped(R"("partition":2,"offset":5)", "a") +
                       Enveloped(R"("partition":1,"offset":1)", "b") +
                       Enveloped(R"("partition":2,"offset":4)", "c"),
                   ", line 3: offset 4 of partition 2 comes after offset 5; offsets must increase "
                   "within a partition");
  ExpectUnreadable(Bare("a") + Bare("b") + Enveloped(R"("offset":1)", "c"),
                   ", line 3: offset 1 of partition 0 comes after offset 1; offsets must increase "
                   "within a partition");
  ExpectUnreadable(Enveloped(R"("offset":9223372036854775806)", "a") + Bare("b"),
                   ", line 2: no offset is left in partition 0; offsets must increase within a "
                   "partition");
}

TEST_F(RecordedStreamTest, ATruncatedRecordingDeliversItsRecordsThenTheError) {
  const std::string whole = Compress(".gz", Bare("a") + Bare("b"));
  const Outcome outcome = ReadText(whole.substr(0, whole.size() - 4));
  EXPECT_EQ(outcome.records.size(), 2u);
  EXPECT_EQ(outcome.status.code(), ErrorCode::kInput);
  EXPECT_NE(outcome.status.message().find("truncated"), std::string::npos);
}

TEST_F(RecordedStreamTest, ABadLineIsARejectionWithItsLineNumber) {
  const Outcome outcome = ReadText(Bare("a") + "\nhello\n" +
                                   R"({"type":"learn","x":[1,true],"y":1})" + "\n" + Bare("b"));
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
  ASSERT_EQ(outcome.records.size(), 4u);
  EXPECT_EQ(outcome.records[1].rejection, "line 3: not JSON, or cut off");
  EXPECT_EQ(outcome.records[2].rejection, "line 4: x[1] is not a number");
  EXPECT_EQ(outcome.Offsets(), (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST_F(RecordedStreamTest, ALineAboveTheLimitIsTooLargeAndADeleteInItARequest) {
  const std::string padding(200, 'a');
  const std::string path = directory_.Write(
      "stream", R"({"type":"learn","note":")" + padding + "\"}\n" +
                    R"({"type":"delete","id":"a","note":")" + padding + "\"}\n" + Bare("b"));
  auto stream = RecordedStream::Open(path, 100);
  ASSERT_TRUE(stream.ok());
  std::vector<Record> batch;
  ASSERT_EQ(stream.value()->ReadRecords(batch, 10).value(), 3u);
  EXPECT_EQ(batch[0].rejection->reason, Reason::kTooLarge);
  EXPECT_EQ(batch[0].rejection->message, "line 1: larger than 100 bytes");
  EXPECT_FALSE(batch[0].rejection->is_request);
  EXPECT_EQ(batch[1].rejection->reason, Reason::kTooLarge);
  EXPECT_TRUE(batch[1].rejection->is_request);
  EXPECT_FALSE(batch[2].rejection);
}

TEST_F(RecordedStreamTest, ABadLineWithoutAPlaceDoesNotUseUpAnOffset) {
  const Outcome outcome = ReadText(Enveloped(R"("offset":5)", "a") + "hello\n" +
                                   Enveloped(R"("offset":6)", "b") + "hello\n" + Bare("c"));
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.message();
  EXPECT_EQ(outcome.Offsets(), (std::vector<std::int64_t>{5, 6, 6, 7, 8}));
}

TEST_F(RecordedStreamTest, ABadEnvelopeWithAPlaceUsesItsOffset) {
  const Outcome outcome = ReadText(R"({"offset":5,"value":{"type":"?"}})"
                                   "\n" +
                                   Enveloped(R"("offset":5)", "b"));
  EXPECT_EQ(outcome.Offsets(), (std::vector<std::int64_t>{5}));
  EXPECT_EQ(outcome.status.code(), ErrorCode::kInput);
}

TEST_F(RecordedStreamTest, BareEventsAreNumberedInShardZero) {
  const Outcome outcome = ReadText(Bare("a") + Bare("b") + R"({"type":"delete","id":"a"})");
  EXPECT_EQ(outcome.records, (std::vector<Seen>{{0, 0, kNoTime.value, "a", ""},
                                                {0, 1, kNoTime.value, "b", ""},
                                                {0, 2, kNoTime.value, "a", ""}}));
}

TEST_F(RecordedStreamTest, EnvelopesKeepTheirPlaceOrAreNumberedWithinTheirShard) {
  const Outcome outcome =
      ReadText(Enveloped(R"("partition":1,"offset":7,"timestamp":99)", "a") +
               Enveloped(R"("partition":1)", "b") + Enveloped(R"("partition":2)", "c") +
               Enveloped(R"("partition":1,"offset":20)", "d") +
               Enveloped(R"("partition":2,"timestamp":0)", "e") + Bare("f"));
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_EQ(outcome.records, (std::vector<Seen>{{1, 7, 99, "a", ""},
                                                {1, 8, -1, "b", ""},
                                                {2, 0, -1, "c", ""},
                                                {1, 20, -1, "d", ""},
                                                {2, 1, 0, "e", ""},
                                                {0, 0, -1, "f", ""}}));
}

TEST_F(RecordedStreamTest, TheRecordsDoNotDependOnTheLimit) {
  std::string text;
  for (int i = 0; i < 50; ++i) {
    text += Bare(std::to_string(i)) + (i % 7 == 0 ? "hello\n" : "");
    text += Enveloped(R"("partition":3,"offset":)" + std::to_string(2 * i), "p");
  }
  text += Enveloped(R"("partition":3,"offset":1)", "not increasing") + Bare("never seen");
  const Outcome one = ReadText(text, 1);
  EXPECT_EQ(one.records.size(), 108u);
  EXPECT_EQ(one.status.code(), ErrorCode::kInput);
  for (const std::size_t limit : {2u, 3u, 107u, 108u, 109u, 100'000u}) {
    const Outcome other = ReadText(text, limit);
    EXPECT_EQ(other.records, one.records) << limit;
    EXPECT_EQ(other.status.message(), one.status.message()) << limit;
  }
}

TEST_F(RecordedStreamTest, TheFormOfTheFileDoesNotMatter) {
  const std::string text = Bare("a") + Enveloped(R"("partition":1,"offset":4)", "b") + "bad\n";
  const Outcome plain = ReadText(text);
  EXPECT_EQ(plain.records.size(), 3u);
  std::string windows;
  for (const char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
  for (const std::string& form : {Compress(".gz", text), Compress(".zst", text), windows,
                                  "\xef\xbb\xbf" + text, text.substr(0, text.size() - 1)}) {
    EXPECT_EQ(ReadText(form).records, plain.records);
  }
}

TEST_F(RecordedStreamTest, ProgressReachesTheSizeOfTheFile) {
  const std::string text = Bare("a") + "\n" + Bare("b");
  auto stream = RecordedStream::Open(directory_.Write("stream", text));
  ASSERT_TRUE(stream.ok());
  std::vector<Record> batch;
  ASSERT_EQ(stream.value()->ReadRecords(batch, 10).value(), 2u);
  EXPECT_EQ(stream.value()->bytes_total(), static_cast<std::int64_t>(text.size()));
  EXPECT_EQ(stream.value()->bytes_read(), static_cast<std::int64_t>(text.size()));
  EXPECT_EQ(stream.value()->line_number(), 3);
}

TEST_F(RecordedStreamTest, HowManyRecordsThereAreIsGuessedFromTheFirst) {
  std::string text;
  for (int i = 1000; i < 6000; ++i) text += Bare(std::to_string(i));
  const auto guess = [&](const std::string& bytes) {
    auto stream = RecordedStream::Open(directory_.Write("stream", bytes));
    std::vector<Record> batch;
    EXPECT_EQ(stream.value()->ExpectedMessages(), 0);
    EXPECT_EQ(stream.value()->ReadRecords(batch, 100).value(), 100u);
    return stream.value()->ExpectedMessages();
  };
  EXPECT_EQ(guess(text), 5000);
  const std::int64_t of_binary = guess(testing::EncodeFile(testing::ManyRecords(5000)));
  EXPECT_NEAR(static_cast<double>(of_binary), 5000, 100);
  const std::int64_t of_compressed = guess(Compress(".gz", text));
  EXPECT_GT(of_compressed, 0);
  EXPECT_LE(of_compressed, 5000);
}

}  // namespace
}  // namespace lethe::recorded_stream_test
