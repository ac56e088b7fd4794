// Records damaged in transit: cut off, or changed in one byte. Whatever comes out, nothing but the
// whole record may be accepted as what it was.

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/json/event_codec.h"
#include "connectors/json/recovery.h"

namespace lethe::damage_test {
namespace {

const std::vector<std::string>& Samples() {
  static const std::vector<std::string> samples = {
      R"({"type":"learn","id":"e-81","x":[0.1,0.7,-1.5e-3,12],"y":1})",
      R"({"type":"learn","id":"e-82","f":{"country=DK":1,"age":0.4},"y":-1})",
      R"({"type":"delete","id":"e-81"})",
      R"({"type":"delete","subject":"user-7","request":"rtbf-2291"})",
      R"({"type":"update","id":"e-82","f":{"\u00e9\"":0.5},"y":1,"note":[true,null,{"a":[]}]})",
      R"({"key":"u","partition":3,"offset":12,"timestamp":17,"headers":{"a":"b"},"value":
         {"type":"learn","x":[1,2],"y":1}})",
      R"({"key":"u","offset":12,"value":null})",
  };
  return samples;
}

// A buffer of exactly these bytes, so that a sanitizer sees a read behind them.
std::vector<char> Exactly(std::string_view text) { return {text.begin(), text.end()}; }

std::string_view View(const std::vector<char>& bytes) { return {bytes.data(), bytes.size()}; }

void ExpectConsistent(const Event& event) {
  EXPECT_TRUE(!event.id || (!event.id->empty() && event.id->size() <= kMaxIdBytes));
  EXPECT_TRUE(!event.subject || (!event.subject->empty() && event.subject->size() <= kMaxIdBytes));
  for (const double value : event.x) EXPECT_TRUE(std::isfinite(value));
  for (const auto& [name, value] : event.named) EXPECT_TRUE(std::isfinite(value));
  EXPECT_TRUE(event.kind != EventKind::kDelete || !event.id != !event.subject);
}

TEST(JsonDamageTest, ARecordCutOffAtAnyByteIsMalformed) {
  JsonEventCodec codec;
  Record record;
  for (const std::string& sample : Samples()) {
    codec.DecodeLine(sample, record);
    ASSERT_FALSE(record.rejection) << sample;
    for (std::size_t size = 0; size < sample.size(); ++size) {
      const auto cut = Exactly(std::string_view(sample).substr(0, size));
      codec.DecodeLine(View(cut), record);
      ASSERT_TRUE(record.rejection) << View(cut);
      EXPECT_EQ(record.rejection->reason, Reason::kMalformed) << View(cut);
      const auto rejection = codec.DecodeValue(View(cut), "key", record.event);
      ASSERT_TRUE(rejection) << View(cut);
      EXPECT_EQ(rejection->reason, Reason::kMalformed) << View(cut);
    }
  }
}

TEST(JsonDamageTest, ACutOffDeleteStaysARequestFromWhereItsTypeWasRead) {
  JsonEventCodec codec;
  Event event;
  const std::string sample = R"({"type":"delete","subject":"user-7"})";
  const std::size_t known_from = std::string(R"({"type":"delete)").size();
  for (std::size_t size = 0; size < sample.size(); ++size) {
    const auto rejection = codec.DecodeValue(sample.substr(0, size), {}, event);
    ASSERT_TRUE(rejection);
    EXPECT_EQ(rejection->is_request, size >= known_from) << sample.substr(0, size);
  }
}

TEST(JsonDamageTest, ARecordWithAnyByteChangedIsRefusedOrConsistent) {
  JsonEventCodec codec;
  Record record;
  for (const std::string& sample : Samples()) {
    for (std::size_t i = 0; i < sample.size(); ++i) {
      for (int byte = 0; byte < 256; ++byte) {
        auto changed = Exactly(sample);
        changed[i] = static_cast<char>(byte);
        codec.DecodeLine(View(changed), record);
        if (!record.rejection) ExpectConsistent(record.event);
        if (!codec.DecodeValue(View(changed), "key", record.event)) ExpectConsistent(record.event);
      }
    }
  }
}

TEST(JsonDamageTest, WhatARecordMeansDoesNotDependOnTheOneBefore) {
  JsonEventCodec codec;
  Record record;
  const std::string cut = R"({"type":"learn","x":[1],"y":1)";
  codec.DecodeLine(cut + std::string(1000, '1') + "}", record);
  EXPECT_TRUE(!record.rejection || record.rejection->reason == Reason::kNotFinite);
  codec.DecodeLine(cut, record);
  ASSERT_TRUE(record.rejection);
  EXPECT_EQ(record.rejection->message, "not JSON, or cut off");
}

TEST(JsonDamageTest, RecordsFullOfOversizedNumbersAreReadInReasonableTime) {
  JsonEventCodec codec;
  Event event;
  std::string value = R"({"type":"learn","y":1,"note":[1e999)";
  while (value.size() < JsonEventCodec::kDefaultMaxBytes - 100) value += ",1e999";
  EXPECT_FALSE(codec.DecodeValue(value + R"(],"x":[1]})", {}, event));
  const std::string digits(JsonEventCodec::kDefaultMaxBytes - 100, '7');
  const auto rejection =
      codec.DecodeValue(R"({"type":"learn","y":1,"x":[)" + digits + "]}", {}, event);
  ASSERT_TRUE(rejection);
  EXPECT_EQ(rejection->reason, Reason::kNotFinite);
}

TEST(JsonDamageTest, WideningLeavesStringsAndBadNumbersAlone) {
  std::string widened;
  const std::string untouched = R"({"a\"1e999":"1e999\\","b":[01,1.,-,1e5,12],"c":"1e999)";
  EXPECT_EQ(WidenNumbers(untouched, widened), 0u);
  EXPECT_EQ(widened, untouched);
  EXPECT_EQ(WidenNumbers("[18446744073709551616,-1e999]", widened), 2u);
  EXPECT_EQ(widened, "[18446744073709551616e0,1.7976931348623157e308]");
}

}  // namespace
}  // namespace lethe::damage_test
