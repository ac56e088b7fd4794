// Records as lines of JSON, read back. What cannot be written first.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/file/recorded_stream.h"
#include "connectors/json/event_writer.h"
#include "tests/support/binary_records.h"
#include "tests/unit/connectors/test_files.h"

namespace lethe::writer_test {
namespace {

using testing::At;
using testing::Delete;
using testing::Describe;
using testing::Learn;
using testing::ReadAll;
using testing::TemporaryDirectory;

std::string Line(const Record& record, bool bare) {
  std::string line;
  const auto refused = WriteJsonLine(record, bare, line);
  EXPECT_FALSE(refused) << refused->message;
  return line;
}

TEST(JsonLine, ARecordThatNoLineCanHoldIsRefused) {
  std::string line = "as it was";
  EXPECT_EQ(WriteJsonLine(At(0, 0, 0, Delete("\xed\xb0\x80", {})), true, line)->message,
            "a text is not valid UTF-8");
  EXPECT_EQ(WriteJsonLine(At(0, 0, 0, Learn("e", std::vector<double>(600'000, 1), 1)), true, line)
                ->reason,
            Reason::kTooLarge);
  Record bad = At(0, 0, 0, Event{});
  bad.rejection = Rejection{Reason::kWrongType, "line 1: x is not an array", false};
  EXPECT_EQ(WriteJsonLine(bad, true, line)->message, "line 1: x is not an array");
  EXPECT_EQ(line, "as it was");
}

TEST(JsonLine, HasAFixedShape) {
  Record learn = At(3, 12, 1'700'000'000'000, Learn("e-81", {0.1, -2, 1e-7}, 1));
  learn.event.subject = "user-7";
  EXPECT_EQ(Line(learn, true),
            R"({"type":"learn","id":"e-81","subject":"user-7","x":[0.1,-2,1e-07],"y":1})");
  EXPECT_EQ(Line(learn, false),
            R"({"key":"user-7","partition":3,"offset":12,"timestamp":1700000000000,)"
            R"("value":{"type":"learn","id":"e-81","x":[0.1,-2,1e-07],"y":1}})");
  Record erase = At(0, 0, kNoTime.value, Delete({}, "user-7"));
  erase.event.request = "r";
  EXPECT_EQ(Line(erase, true), R"({"type":"delete","subject":"user-7","request":"r"})");
  EXPECT_EQ(Line(erase, false),
            R"({"key":"user-7","partition":0,"offset":0,"value":{"type":"delete","request":"r"}})");
  Record named = At(0, 0, kNoTime.value, Learn({}, {}, 0.5));
  named.event.named = {{"b", 1}, {"a\"\n", 2}, {"b", 3}};
  named.event.kind = EventKind::kUpdate;
  EXPECT_EQ(Line(named, true), R"({"type":"update","f":{"b":1,"a\"\u000a":2,"b":3},"y":0.5})");
  named.event.label = "a \"cat\"";
  named.event.w = 2.5;
  EXPECT_EQ(Line(named, true),
            R"({"type":"update","f":{"b":1,"a\"\u000a":2,"b":3},"y":"a \"cat\"","w":2.5})");
}

TEST(JsonLine, IsReadBackBitForBit) {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  std::vector<Record> records = {
      At(0, 0, kNoTime.value, Learn("e", {0.0, -0.0, 0.1, 1.0 / 3, smallest, -largest}, -0.0)),
      At(0, 0, kNoTime.value,
         Learn({}, {0x1p63, -0x1p63, 0x1p64, 1e22, 123456789012345678.0, largest}, 1e20)),
      At(0, 0, kNoTime.value,
         Learn(std::string("\0\x1f\x7f\\\"/\xc3\xa9\xf0\x9f\x98\x80", 13), {5}, 1)),
      At(0, 0, kNoTime.value, Delete("e", {})),
      At(0, 0, kNoTime.value, Delete({}, "s")),
      At(0, 0, kNoTime.value, Learn({}, {}, 1))};
  for (const double w : {0.1, 0.0, -0.0, 1e300, smallest}) {
    records.push_back(At(0, 0, kNoTime.value, Learn("e", {1}, 0)));
    records.back().event.label = "\xc3\xa9 cat\n";
    records.back().event.w = w;
  }
  Record& replaced = records.emplace_back(At(0, 0, kNoTime.value, Delete("e", {})));
  replaced.event.is_replaced = true;
  std::uint64_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double any = std::bit_cast<double>(state ^ (state >> 29));
    if (std::isfinite(any)) records[0].event.x.push_back(any);
  }
  JsonEventCodec codec;
  Record back;
  for (Record& record : records) {
    codec.DecodeLine(Line(record, true), back);
    back.offset.value = 0;
    EXPECT_EQ(Describe(back), Describe(record));
    record.shard.value = 7;
    record.offset.value = 9;
    record.timestamp.value = 11;
    codec.DecodeLine(Line(record, false), back);
    EXPECT_EQ(Describe(back), Describe(record));
  }
}

TEST(JsonLine, HoldsAKeyOfAnyBytes) {
  JsonEventCodec codec;
  Record back;
  for (const std::string key : {"\xff\xfe", "a\x80", "\xed\xb0\x80"}) {
    for (Event event : {Learn("e", {1}, 1), Delete({}, key)}) {
      event.subject = key;
      const Record record = At(2, 5, 7, event);
      const std::string line = Line(record, false);
      EXPECT_NE(line.find(R"("key_base64":)"), std::string::npos) << line;
      codec.DecodeLine(line, back);
      EXPECT_EQ(Describe(back), Describe(record));
    }
  }
}

class JsonFileWriterTest : public ::testing::Test {
 protected:
  std::string Write(const std::vector<Record>& records, bool bare) {
    const std::string path = directory_.Path("file.ndjson");
    auto writer = JsonFileWriter::Open(path, bare);
    std::optional<Rejection> refused;
    for (const Record& record : records) {
      EXPECT_TRUE(writer.value()->Write(record, refused).ok());
    }
    EXPECT_TRUE(writer.value()->Close().ok());
    return ReadAll(path);
  }

  TemporaryDirectory directory_;
};

TEST_F(JsonFileWriterTest, BareEventsBecomeEnvelopesWhereAPlaceWouldBeLost) {
  const std::vector<Record> kept = {At(0, 0, kNoTime.value, Delete("a", {})),
                                    At(0, 1, kNoTime.value, Delete("b", {}))};
  EXPECT_EQ(Write(kept, true),
            "{\"type\":\"delete\",\"id\":\"a\"}\n{\"type\":\"delete\",\"id\":\"b\"}\n");
  EXPECT_TRUE(Write(kept, false).starts_with("{\"partition\":0,\"offset\":0,"));
  for (const Record& other :
       {At(0, 2, kNoTime.value, Delete("b", {})), At(1, 1, kNoTime.value, Delete("b", {})),
        At(0, 1, 0, Delete("b", {}))}) {
    const std::string text =
        Write({kept[0], other, At(0, 9, kNoTime.value, Delete("c", {}))}, true);
    EXPECT_TRUE(text.starts_with("{\"type\":\"delete\",\"id\":\"a\"}\n{\"partition\":")) << text;
    EXPECT_NE(text.find("{\"partition\":0,\"offset\":9,"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace lethe::writer_test
