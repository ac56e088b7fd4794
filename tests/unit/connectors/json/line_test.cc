// Lines of a recorded stream: bare events and envelopes. Bad input first.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/json/event_codec.h"
#include "connectors/json/event_writer.h"

namespace lethe::line_test {
namespace {

class JsonLineTest : public ::testing::Test {
 protected:
  const Record& Decode(std::string_view line) {
    codec_.DecodeLine(line, record_);
    return record_;
  }

  const Record& Accept(std::string_view line) {
    Decode(line);
    EXPECT_FALSE(record_.rejection)
        << line << ": " << (record_.rejection ? record_.rejection->message : "");
    return record_;
  }

  void ExpectRefused(Reason reason, std::string_view message, bool is_request,
                     std::string_view line) {
    Decode(line);
    ASSERT_TRUE(record_.rejection) << "accepted: " << line;
    EXPECT_STREQ(ReasonName(record_.rejection->reason), ReasonName(reason)) << line;
    EXPECT_EQ(record_.rejection->message, message) << line;
    EXPECT_EQ(record_.rejection->is_request, is_request) << line;
    EXPECT_FALSE(record_.event.id || record_.event.subject) << line;
  }

  JsonEventCodec codec_;
  Record record_;
};

constexpr char kLearn[] = R"({"type":"learn","x":[1],"y":1})";
constexpr char kDelete[] = R"({"type":"delete","id":"a"})";

std::string Envelope(const std::string& members, const std::string& value = kLearn) {
  return "{" + members + R"(,"value":)" + value + "}";
}

TEST_F(JsonLineTest, APlaceThatIsNoIntegerInItsRangeIsAWrongType) {
  for (const char* bad : {"-1", "1.5", "12.0", "\"3\"", "true", "[]", "1e3", "99999999999999999999",
                          "9223372036854775807", "1e999"}) {
    const std::string value(bad);
    ExpectRefused(Reason::kWrongType, "partition is not an integer from 0 to 2147483647", false,
                  Envelope(R"("partition":)" + value));
    ExpectRefused(Reason::kWrongType, "offset is not an integer from 0 to 9223372036854775806",
                  false, Envelope(R"("offset":)" + value));
    ExpectRefused(Reason::kWrongType, "timestamp is not an integer from 0 to 9007199254740991",
                  false, Envelope(R"("timestamp":)" + value));
    ExpectRefused(Reason::kWrongType, "arrival is not an integer from 0 to 9007199254740991", false,
                  Envelope(R"("arrival":)" + value));
  }
  ExpectRefused(Reason::kWrongType, "partition is not an integer from 0 to 2147483647", false,
                Envelope(R"("partition":2147483648)"));
}

TEST_F(JsonLineTest, WhatCanBeReadOfARefusedEnvelopesPlaceIsKept) {
  Decode(Envelope(R"("partition":3,"offset":12,"timestamp":-5)"));
  EXPECT_EQ(record_.shard, ShardId{3});
  EXPECT_EQ(record_.offset, Offset{12});
  EXPECT_EQ(record_.timestamp, kNoTime);
  Decode(Envelope(R"("partition":3,"offset":12,"timestamp":5)", R"({"type":"?"})"));
  EXPECT_EQ(record_.offset, Offset{12});
  EXPECT_EQ(record_.timestamp, TimeMs{5});
  Decode(Envelope(R"("partition":-3,"offset":12)"));
  EXPECT_EQ(record_.shard, ShardId{0});
  EXPECT_EQ(record_.offset, kNoOffset) << "an offset of an unknown partition";
}

TEST_F(JsonLineTest, AKeyOfAnotherTypeIsAWrongType) {
  for (const char* bad : {"true", "1.5", "[]", "{}", "1e999"}) {
    ExpectRefused(Reason::kWrongType, "key is not a string", false,
                  Envelope(R"("key":)" + std::string(bad)));
  }
}

TEST_F(JsonLineTest, ABadEnvelopeAroundADeleteIsARejectedRequest) {
  ExpectRefused(Reason::kWrongType, "key is not a string", true, Envelope(R"("key":[])", kDelete));
  ExpectRefused(Reason::kWrongType, "key is not a string", true, R"({"key":[]})");
  ExpectRefused(Reason::kWrongType, "partition is not an integer from 0 to 2147483647", true,
                R"({"key":"k","partition":"0","value":null})");
  ExpectRefused(Reason::kMissingTarget, "a null value without a key names nothing", true,
                R"({"key":null,"offset":1,"value":null})");
  ExpectRefused(Reason::kMissingTarget, "a null value without a key names nothing", true,
                R"({"value":null})");
  ExpectRefused(Reason::kBadReference, "the key is empty", true, R"({"key":"","value":null})");
}

TEST_F(JsonLineTest, ACutOffLineThatWasADeleteIsARejectedRequest) {
  for (const char* line :
       {R"({"key":"k","value":{"type":"delete","id":"a"})", R"({"type":"delete","id":"a")",
        R"({"key":"k","value":null)", R"({"headers":{"a":"b"},"value": {"type" :"delete")"}) {
    Decode(line);
    ASSERT_TRUE(record_.rejection) << line;
    EXPECT_EQ(record_.rejection->reason, Reason::kMalformed) << line;
    EXPECT_TRUE(record_.rejection->is_request) << line;
  }
  for (const char* line :
       {R"({"key":"k","value":{"type":"learn","id":"delete")", R"({"headers":{"type":"delete"})",
        R"({"headers":{"value":null},"key":"k")", R"({"value":{"note":{"type":"delete"}})",
        R"({"value":{"type":"learn"},"headers":{"type":"delete"})", R"({"key":"k","value":nul)"}) {
    Decode(line);
    ASSERT_TRUE(record_.rejection) << line;
    EXPECT_FALSE(record_.rejection->is_request) << line;
  }
}

TEST_F(JsonLineTest, TheValueOfAnEnvelopeIsJudgedAsThatOfAMessage) {
  ExpectRefused(Reason::kMalformed, "not a JSON object", false, R"({"key":"k","value":[1]})");
  ExpectRefused(Reason::kMalformed, "not a JSON object", false, R"({"key":"k","value":"text"})");
  ExpectRefused(Reason::kUnknownType, "type is none of learn, delete and update", false,
                R"({"key":"k","value":{}})");
  ExpectRefused(Reason::kMissingField, "y is missing", false,
                R"({"key":"k","value":{"type":"learn","x":[1]}})");
  ExpectRefused(Reason::kBadReference, "the key is empty", false, Envelope(R"("key":"")"));
  ExpectRefused(Reason::kNotFinite, "x[0] is too large", false,
                R"({"key":"k","value":{"type":"learn","x":[1e400],"y":1}})");
}

TEST_F(JsonLineTest, AKeyMayStandInBase64) {
  EXPECT_EQ(Accept(R"({"key_base64":"//4=","value":null})").event.subject, "\xff\xfe");
  EXPECT_EQ(Accept(R"({"key_base64":"//4=","offset":3})").event.subject, "\xff\xfe");
  EXPECT_EQ(Accept(R"({"key":"k","key_base64":"//4=","value":null})").event.subject, "k");
  ExpectRefused(Reason::kWrongType, "key_base64 is not a string of Base64", false,
                Envelope(R"("key_base64":"?")"));
  ExpectRefused(Reason::kWrongType, "key_base64 is not a string of Base64", true,
                R"({"key_base64":7,"value":null})");
}

TEST_F(JsonLineTest, AnEventWhoseTypeWasForgottenIsNoTombstone) {
  ExpectRefused(Reason::kUnknownType, "type is none of learn, delete and update", false,
                R"({"key":"k","x":[1],"y":1})");
  ExpectRefused(Reason::kUnknownType, "type is none of learn, delete and update", false,
                R"({"key":"k","f":{"a":1}})");
}

TEST_F(JsonLineTest, ALineThatIsNoObjectIsRefused) {
  ExpectRefused(Reason::kMalformed, "not a JSON object", false, "[1]");
  ExpectRefused(Reason::kMalformed, "not JSON, or cut off", false, "hello");
  ExpectRefused(Reason::kMissingTarget, "a null value without a key names nothing", true, "null");
  ExpectRefused(Reason::kUnknownType, "type is none of learn, delete and update", false, "{}");
}

TEST_F(JsonLineTest, ABareEventStandsInShardZeroWithoutAPlace) {
  record_.shard = ShardId{9};
  record_.offset = Offset{9};
  record_.timestamp = TimeMs{9};
  Accept(R"({"type":"learn","id":"e","subject":"user-7","x":[0.5],"y":1,"offset":3,"key":"k"})");
  EXPECT_EQ(record_.shard, ShardId{0});
  EXPECT_EQ(record_.offset, kNoOffset);
  EXPECT_EQ(record_.timestamp, kNoTime);
  EXPECT_EQ(record_.event.subject, "user-7");
  EXPECT_EQ(record_.event.x, std::vector<double>{0.5});
}

TEST_F(JsonLineTest, AnEnvelopeSaysThePlaceAndTheKey) {
  Accept(R"({"key":"user-7","partition":2147483647,"offset":9223372036854775806,
             "timestamp":1700000000000,"arrival":1600000000000,
             "headers":{"trace":"abc","value":null},
             "value":{"type":"learn","subject":"other","x":[0.5],"y":1}})");
  EXPECT_EQ(record_.shard, ShardId{2147483647});
  EXPECT_EQ(record_.offset, Offset{9223372036854775806});
  EXPECT_EQ(record_.timestamp, TimeMs{1700000000000});
  EXPECT_EQ(record_.arrival, TimeMs{1600000000000});
  EXPECT_EQ(record_.event.subject, "user-7");
}

TEST_F(JsonLineTest, WhatAnEnvelopeLeavesOutOrSetsToNullIsNotThere) {
  Accept(Envelope(R"("key":null,"partition":null,"offset":null,"timestamp":null,"arrival":null)"));
  EXPECT_EQ(record_.shard, ShardId{0});
  EXPECT_EQ(record_.offset, kNoOffset);
  EXPECT_EQ(record_.timestamp, kNoTime);
  EXPECT_EQ(record_.arrival, kNoTime);
  EXPECT_EQ(record_.event.subject, std::nullopt);
}

TEST_F(JsonLineTest, AnEnvelopeSaysWhoSetTheTimestamp) {
  Accept(Envelope(R"("timestamp":5,"timestamp_type":"LogAppendTime")"));
  EXPECT_TRUE(record_.is_broker_time);
  std::string line;
  EXPECT_EQ(WriteJsonLine(record_, false, line), std::nullopt);
  EXPECT_NE(line.find(R"("timestamp":5,"timestamp_type":"LogAppendTime")"), std::string::npos);
  Accept(Envelope(R"("timestamp":5,"timestamp_type":"CreateTime")"));
  EXPECT_FALSE(record_.is_broker_time);
  EXPECT_TRUE(record_.position().has_producer_time());
  Accept(Envelope(R"("timestamp_type":"LogAppendTime")"));
  EXPECT_FALSE(record_.is_broker_time) << "there is no timestamp";
  EXPECT_FALSE(record_.position().has_producer_time());
}

TEST_F(JsonLineTest, AnIntegerKeyStandsForItsText) {
  EXPECT_EQ(Accept(Envelope(R"("key":42)")).event.subject, "42");
}

TEST_F(JsonLineTest, AnEnvelopeWithANullOrNoValueIsATombstone) {
  for (const char* line :
       {R"({"key":"user-7","offset":5,"value":null})", R"({"key":"user-7","offset":5})"}) {
    Accept(line);
    EXPECT_EQ(record_.event.kind, EventKind::kDelete);
    EXPECT_EQ(record_.event.subject, "user-7");
    EXPECT_EQ(record_.offset, Offset{5});
  }
}

TEST_F(JsonLineTest, ALineWithAValueIsAnEnvelopeWhateverElseItHolds) {
  Accept(R"({"type":"delete","id":"outer","value":{"type":"delete","id":"inner"}})");
  EXPECT_EQ(record_.event.id, "inner");
}

TEST_F(JsonLineTest, ARecordIsClearedOfTheRejectionBefore) {
  Decode("hello");
  ASSERT_TRUE(record_.rejection);
  EXPECT_FALSE(Accept(kLearn).rejection);
}

TEST_F(JsonLineTest, AValueInBase64IsTheMessageThatItStandsFor) {
  const std::string place = R"({"key":"u","partition":2,"offset":7,"value_base64":)";
  // {"type":"delete","id":"a"}
  const Record& record = Accept(place + R"("eyJ0eXBlIjoiZGVsZXRlIiwiaWQiOiJhIn0="})");
  EXPECT_EQ(record.event.kind, EventKind::kDelete);
  EXPECT_EQ(record.event.id, "a");
  EXPECT_EQ(record.shard, ShardId{2});
  EXPECT_EQ(record.offset, Offset{7});
  // {"type":"delete","id, cut off: still a request, at its place.
  Decode(place + R"("eyJ0eXBlIjoiZGVsZXRlIiwiaWQ="})");
  ASSERT_TRUE(record_.rejection);
  EXPECT_EQ(record_.rejection->reason, Reason::kMalformed);
  EXPECT_TRUE(record_.rejection->is_request);
  EXPECT_EQ(record_.shard, ShardId{2});
  EXPECT_EQ(record_.offset, Offset{7});
  // Nothing at all is no tombstone.
  Decode(place + R"(""})");
  ASSERT_TRUE(record_.rejection);
  EXPECT_EQ(record_.rejection->reason, Reason::kMalformed);
  for (const char* no_base64 :
       {R"("eyJ0")", R"("e")", R"("?")", "17", R"("eyJ0eXBlIjo")", "null"}) {
    Decode(place + no_base64 + "}");
    ASSERT_TRUE(record_.rejection) << no_base64;
    EXPECT_FALSE(record_.rejection->is_request) << no_base64;
  }
}

}  // namespace
}  // namespace lethe::line_test
