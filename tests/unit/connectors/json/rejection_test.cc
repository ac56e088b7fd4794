// Why the value of a message is refused: every reason, and what the message says.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/json/event_codec.h"

namespace lethe::rejection_test {
namespace {

using Key = std::optional<std::string_view>;

class JsonRejectionTest : public ::testing::Test {
 protected:
  // The event that a value means; fails the test if it is refused.
  const Event& Accept(std::string_view value, Key key = {}) {
    const auto rejection = codec_.DecodeValue(value, key, event_);
    EXPECT_FALSE(rejection) << value << ": " << (rejection ? rejection->message : "");
    return event_;
  }

  // The rejection of a value; fails the test if it is accepted.
  Rejection Refuse(std::string_view value, Key key = {}) {
    const auto rejection = codec_.DecodeValue(value, key, event_);
    EXPECT_TRUE(rejection) << "accepted: " << value;
    EXPECT_FALSE(event_.id || event_.subject || event_.request) << "left behind by " << value;
    EXPECT_TRUE(event_.x.empty() && event_.named.empty()) << "left behind by " << value;
    return rejection.value_or(Rejection{});
  }

  void ExpectRefused(Reason reason, std::string_view message, std::string_view value,
                     Key key = {}) {
    const Rejection rejection = Refuse(value, key);
    EXPECT_STREQ(ReasonName(rejection.reason), ReasonName(reason)) << value;
    EXPECT_EQ(rejection.message, message) << value;
    EXPECT_FALSE(rejection.is_request) << value;
  }

  void ExpectRequestRefused(Reason reason, std::string_view message, std::string_view value,
                            Key key = {}) {
    const Rejection rejection = Refuse(value, key);
    EXPECT_STREQ(ReasonName(rejection.reason), ReasonName(reason)) << value;
    EXPECT_EQ(rejection.message, message) << value;
    EXPECT_TRUE(rejection.is_request) << value;
  }

  JsonEventCodec codec_;
  Event event_;
};

TEST_F(JsonRejectionTest, TextThatIsNoJsonIsMalformed) {
  for (const char* text :
       {"hello", "{", "}", "{]", "{\"type\"}", "{\"type\":}", "{\"type\":\"learn\",}", "[1,2",
        "{\"type\":\"learn\" \"y\":1}", "{'type':'learn'}", "{\"type\":\"learn\",\"x\":[1,,2]}",
        "{\"type\":\"learn\",\"x\":[1],\"y\":1} x", "{\"type\":\"learn\",\"x\":[1],\"y\":1}}",
        "{\"type\":\"learn\",\"x\":[1],\"y\":1}{}", "{\"type\":\"learn\",\"x\":[1],\"y\":tru}",
        "{\"type\":\"learn\",\"x\":[1],\"y\":1} null", "\x01", "// comment\n{}"}) {
    EXPECT_EQ(Refuse(text).reason, Reason::kMalformed) << text;
  }
  ExpectRefused(Reason::kMalformed, "there is nothing but white space", "");
  ExpectRefused(Reason::kMalformed, "there is nothing but white space", " \t\n ");
  ExpectRefused(Reason::kMalformed, "not JSON: a string does not end", R"({"type":"learn)");
  ExpectRefused(Reason::kMalformed, "not JSON: a string has a bad escape", R"({"type":"\q"})");
  ExpectRefused(Reason::kMalformed, "not JSON: a string has a bare control character",
                "{\"type\":\"a\nb\"}");
}

TEST_F(JsonRejectionTest, BrokenJsonInAnIgnoredMemberIsMalformed) {
  ExpectRefused(Reason::kMalformed, "not JSON, or cut off",
                R"({"type":"learn","x":[1],"y":1,"note":[1 2]})");
  ExpectRefused(Reason::kMalformed, "not JSON: a number is not written as JSON has it",
                R"({"type":"learn","x":[1],"y":1,"note":01})");
}

TEST_F(JsonRejectionTest, AnythingButAnObjectIsMalformed) {
  for (const char* text : {"[]", "[{\"type\":\"learn\"}]", "42", "\"learn\"", "true", "1e999"}) {
    ExpectRefused(Reason::kMalformed, "not a JSON object", text);
  }
}

TEST_F(JsonRejectionTest, TextThatIsNoUtf8IsMalformed) {
  for (const char* bytes : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    ExpectRefused(Reason::kMalformed, "not valid UTF-8",
                  std::string(R"({"type":"learn","x":[1],"y":1,"id":")") + bytes + "\"}");
  }
}

TEST_F(JsonRejectionTest, NumbersThatJsonDoesNotHaveAreMalformed) {
  for (const char* number : {"NaN", "Infinity", "-Infinity", "nan", "01", "+1", ".5", "1.", "-",
                             "1e", "1e+", "0x10", "1_000", "--1", "1.5.2"}) {
    const std::string learn = std::string(R"({"type":"learn","x":[)") + number + R"(],"y":1})";
    EXPECT_EQ(Refuse(learn).reason, Reason::kMalformed) << number;
  }
}

TEST_F(JsonRejectionTest, NestingIsBounded) {
  const auto nested = [](std::size_t depth) {
    return R"({"type":"learn","x":[1],"y":1,"note":)" + std::string(depth, '[') +
           std::string(depth, ']') + "}";
  };
  Accept(nested(JsonEventCodec::kMaxDepth - 2));
  ExpectRefused(Reason::kMalformed, "nested too deep", nested(JsonEventCodec::kMaxDepth));
  ExpectRefused(Reason::kMalformed, "nested too deep", nested(400'000));
}

TEST_F(JsonRejectionTest, ARecordAboveTheSizeLimitIsTooLarge) {
  JsonEventCodec small(100);
  std::string value = R"({"type":"learn","x":[1],"y":1})";
  value.resize(100, ' ');
  EXPECT_FALSE(small.DecodeValue(value, {}, event_));
  value += ' ';
  const auto rejection = small.DecodeValue(value, {}, event_);
  ASSERT_TRUE(rejection);
  EXPECT_EQ(rejection->reason, Reason::kTooLarge);
  EXPECT_EQ(rejection->message, "larger than 100 bytes");
  EXPECT_FALSE(rejection->is_request);

  std::string megabyte = R"({"type":"learn","x":[1],"y":1})";
  megabyte.resize(1u << 20, ' ');
  Accept(megabyte);
  megabyte += ' ';
  ExpectRefused(Reason::kTooLarge, "larger than 1048576 bytes", megabyte);
}

TEST_F(JsonRejectionTest, AnUnknownOrMissingTypeIsRefused) {
  for (const char* value : {"{}", R"({"x":[1],"y":1})", R"({"type":"Learn","x":[1],"y":1})",
                            R"({"type":""})", R"({"type":"deletes","id":"a"})", R"({"type":null})",
                            R"({"type":1})", R"({"type":[]})", R"({"type":"learn\u0000"})"}) {
    ExpectRefused(Reason::kUnknownType, "type is none of learn, delete and update", value);
  }
}

TEST_F(JsonRejectionTest, AMisspeltDeleteIsARejectedRequest) {
  for (const char* word : {"Delete", "DELETE", "erase", "Erase", "forget", "remove", "unlearn",
                           "tombstone", "TOMBSTONE"}) {
    const std::string value = R"({"type":")" + std::string(word) + R"(","id":"a"})";
    ExpectRequestRefused(Reason::kUnknownType, "type is none of learn, delete and update", value);
    // Also where the text breaks off, and in a recorded line.
    EXPECT_TRUE(codec_.DecodeValue(value.substr(0, value.size() - 2), {}, event_)->is_request);
    Record record;
    codec_.DecodeLine(R"({"key":"k","value":)" + value + "}", record);
    EXPECT_TRUE(record.rejection->is_request) << word;
    codec_.DecodeLine(R"({"key":5.5,"value":)" + value + "}", record);
    EXPECT_TRUE(record.rejection->is_request) << word;
  }
  for (const char* word : {"deleted", "delet", "", "del", "forget me", "drop", "Learn"}) {
    const std::string value = R"({"type":")" + std::string(word) + R"(","id":"a"})";
    EXPECT_FALSE(codec_.DecodeValue(value, {}, event_)->is_request) << word;
  }
}

TEST_F(JsonRejectionTest, ALearnWithoutFeaturesOrLabelLacksAField) {
  ExpectRefused(Reason::kMissingField, "x or f is missing", R"({"type":"learn","y":1})");
  ExpectRefused(Reason::kMissingField, "y is missing", R"({"type":"learn","x":[1]})");
  ExpectRefused(Reason::kMissingField, "y is missing", R"({"type":"learn","f":{"a":1}})");
  ExpectRefused(Reason::kMissingField, "id is missing: an update has to name what it replaces",
                R"({"type":"update","x":[1],"y":1})");
  ExpectRefused(Reason::kMissingField, "id is missing: an update has to name what it replaces",
                R"({"type":"update","id":null,"x":[1],"y":1})", "key");
}

TEST_F(JsonRejectionTest, AFieldOfAnotherTypeIsAWrongType) {
  for (const char* other : {"true", "null", "[]", "{}"}) {
    ExpectRefused(Reason::kWrongType, "y is not a number or the name of a class",
                  R"({"type":"learn","x":[1],"y":)" + std::string(other) + "}");
  }
  for (const char* other : {"true", "\"1\"", "null", "[]", "{}"}) {
    const std::string value(other);
    ExpectRefused(Reason::kWrongType, "w is not a number",
                  R"({"type":"learn","x":[1],"y":1,"w":)" + value + "}");
    ExpectRefused(Reason::kWrongType, "x[2] is not a number",
                  R"({"type":"learn","x":[1,2,)" + value + R"(,4],"y":1})");
    if (value == "\"1\"") continue;  // a text is a feature: value_test.cc
    ExpectRefused(Reason::kWrongType, "f[2] is not a number",
                  R"({"type":"learn","f":{"a":1,"t":"a text","b":)" + value + R"(},"y":1})");
  }
  for (const char* other : {"true", "\"1\"", "null", "{}", "1"}) {
    ExpectRefused(Reason::kWrongType, "x is not an array of numbers",
                  R"({"type":"learn","y":1,"x":)" + std::string(other) + "}");
  }
  for (const char* other : {"true", "\"1\"", "null", "[]", "1"}) {
    ExpectRefused(Reason::kWrongType, "f is not an object of numbers and texts",
                  R"({"type":"learn","y":1,"f":)" + std::string(other) + "}");
  }
  for (const char* other : {"true", "1.5", "1.0", "1e2", "[]", "{}", "123456789012345678901"}) {
    ExpectRefused(Reason::kWrongType, "id is not a string",
                  R"({"type":"learn","x":[1],"y":1,"id":)" + std::string(other) + "}");
    ExpectRefused(Reason::kWrongType, "subject is not a string",
                  R"({"type":"learn","x":[1],"y":1,"subject":)" + std::string(other) + "}");
    ExpectRequestRefused(Reason::kWrongType, "request is not a string",
                         R"({"type":"delete","id":"a","request":)" + std::string(other) + "}");
  }
}

TEST_F(JsonRejectionTest, BothKindsOfFeaturesAreRefused) {
  ExpectRefused(Reason::kWrongType, "both x and f are given, where one of them is expected",
                R"({"type":"learn","x":[1],"f":{"a":1},"y":1})");
}

TEST_F(JsonRejectionTest, EmptyDenseFeaturesHaveAWrongDimension) {
  ExpectRefused(Reason::kWrongDimension, "x is empty", R"({"type":"learn","x":[],"y":1})");
}

TEST_F(JsonRejectionTest, ANumberTooLargeForADoubleIsNotFinite) {
  const std::string digits(400, '9');
  for (const std::string& number :
       {std::string("1e999"), std::string("-1e999"), digits, "-" + digits, digits + ".5",
        std::string("1.8e308"), std::string("17976931348623159e292")}) {
    ExpectRefused(Reason::kNotFinite, "x[1] is too large",
                  R"({"type":"learn","x":[0,)" + number + R"(],"y":1})");
    ExpectRefused(Reason::kNotFinite, "f[1] is too large",
                  R"({"type":"learn","f":{"a":0,"b":)" + number + R"(},"y":1})");
    ExpectRefused(Reason::kNotFinite, "y is too large",
                  R"({"type":"learn","x":[1],"y":)" + number + "}");
    ExpectRefused(Reason::kNotFinite, "w is too large",
                  R"({"type":"learn","x":[1],"y":1,"w":)" + number + "}");
  }
}

TEST_F(JsonRejectionTest, ANumberTooLargeInAnIgnoredMemberIsIgnored) {
  EXPECT_EQ(Accept(R"({"type":"learn","x":[0.25],"y":1,"note":[1e999,"1e999"]})").x,
            std::vector<double>{0.25});
  EXPECT_EQ(*Accept(R"({"type":"delete","id":"1e999","x":1e999})").id, "1e999");
}

TEST_F(JsonRejectionTest, ABadReferenceIsRefused) {
  const std::string longest(kMaxIdBytes, 'a');
  const std::string learn = R"({"type":"learn","x":[1],"y":1)";
  EXPECT_EQ(Accept(learn + R"(,"id":")" + longest + "\"}").id, longest);
  EXPECT_EQ(Accept(learn + R"(,"subject":")" + longest + "\"}").subject, longest);
  EXPECT_EQ(Accept(learn + "}", longest).subject, longest);

  const std::string above = longest + "a";
  ExpectRefused(Reason::kBadReference, "id is longer than 1024 bytes",
                learn + R"(,"id":")" + above + "\"}");
  ExpectRefused(Reason::kBadReference, "subject is longer than 1024 bytes",
                learn + R"(,"subject":")" + above + "\"}");
  ExpectRefused(Reason::kBadReference, "the key is longer than 1024 bytes", learn + "}", above);
  ExpectRefused(Reason::kBadReference, "id is empty", learn + R"(,"id":""})");
  ExpectRefused(Reason::kBadReference, "subject is empty", learn + R"(,"subject":""})");
  ExpectRefused(Reason::kBadReference, "the key is empty", learn + "}", "");
}

TEST_F(JsonRejectionTest, TheLengthOfAReferenceIsCountedInBytesAfterEscapes) {
  std::string escaped;
  for (std::size_t i = 0; i < kMaxRequestBytes / 2; ++i) escaped += "\\u00e9";
  const std::string prefix = R"({"type":"delete","id":"a","request":")";
  EXPECT_EQ(Accept(prefix + escaped + "\"}").request->size(), kMaxRequestBytes);
  ExpectRequestRefused(Reason::kBadReference, "request is longer than 128 bytes",
                       prefix + escaped + "a\"}");
}

TEST_F(JsonRejectionTest, ADeleteThatCannotBeReadIsARejectedRequest) {
  const std::string above(kMaxIdBytes + 1, 'a');
  ExpectRequestRefused(Reason::kMissingTarget, "a delete needs an id, a subject or a message key",
                       R"({"type":"delete"})");
  ExpectRequestRefused(Reason::kMissingTarget, "a delete needs an id, a subject or a message key",
                       R"({"type":"delete","id":null,"subject":null,"request":"r"})");
  ExpectRequestRefused(Reason::kBadReference, "id is empty", R"({"type":"delete","id":""})", "k");
  ExpectRequestRefused(Reason::kBadReference, "subject is longer than 1024 bytes",
                       R"({"type":"delete","subject":")" + above + "\"}");
  ExpectRequestRefused(Reason::kWrongType, "id is not a string", R"({"type":"delete","id":[1]})");
  ExpectRequestRefused(Reason::kBadReference, "the key is empty", R"({"type":"delete"})", "");
  ExpectRequestRefused(Reason::kMalformed, "not JSON: a string does not end",
                       R"({"type":"delete","id":"e-81)");
  ExpectRequestRefused(Reason::kMalformed, "not JSON, or cut off",
                       R"({ "id" : "e-81" , "type" : "delete" )");
  ExpectRequestRefused(Reason::kMalformed, "not valid UTF-8",
                       "{\"type\":\"delete\",\"id\":\"\xff\"}");
  ExpectRequestRefused(
      Reason::kTooLarge, "larger than 1048576 bytes",
      R"({"type":"delete","id":"a","note":")" + std::string(2u << 20, 'a') + "\"}");
}

TEST_F(JsonRejectionTest, OnlyTheTypeOfTheRecordItselfMakesItARequest) {
  for (const char* value :
       {R"({"type":"learn","note":{"type":"delete"})",
        R"({"type":"learn","note":["type","delete"])", R"({"note":"type","delete":"type")",
        R"({"type":"learn","id":"\"type\":\"delete\"")",
        R"({"type":"learn","value":{"type":"delete"})", R"({"type":"delete","type":"learn")",
        R"({"types":"delete")", R"({"type":["delete"])", R"({"type" "delete")",
        R"({"id":"a","value":null)"}) {
    EXPECT_FALSE(Refuse(value).is_request) << value;
  }
}

TEST_F(JsonRejectionTest, ATombstoneWithoutAUsableKeyIsARejectedRequest) {
  const std::string above(kMaxIdBytes + 1, 'a');
  const std::string message = "a null value without a key names nothing";
  ExpectRequestRefused(Reason::kMissingTarget, message, "null");
  ExpectRequestRefused(Reason::kBadReference, "the key is empty", "null", "");
  ExpectRequestRefused(Reason::kBadReference, "the key is longer than 1024 bytes", "null", above);
  const auto rejection = codec_.DecodeValue(std::nullopt, {}, event_);
  ASSERT_TRUE(rejection);
  EXPECT_EQ(rejection->reason, Reason::kMissingTarget);
  EXPECT_TRUE(rejection->is_request);
}

TEST_F(JsonRejectionTest, ARejectionNeverRepeatsWhatTheRecordHolds) {
  for (const char* value :
       {R"({"type":"learn","id":["SECRET"],"x":[1],"y":1})",
        R"({"type":"learn","f":{"SECRET":"SECRET","a":[]},"y":1})", R"({"type":"SECRET"})",
        "SECRET", R"({"type":"delete","request":{"SECRET":1},"id":"SECRET"})", R"({"SECRET":1e999)",
        R"({"type":"learn","x":["SECRET"],"y":"SECRET","subject":"SECRET"})", "\"SECRET\""}) {
    EXPECT_EQ(Refuse(value, "SECRET").message.find("SECRET"), std::string::npos) << value;
  }
}

TEST_F(JsonRejectionTest, WhatFollowsTheBytesOfASchemaRegistryIsJudgedWithoutThem) {
  const std::string prefix("\0\0\0\x01\x02", 5);
  ExpectRefused(Reason::kMalformed, "there is nothing but white space", prefix);
  EXPECT_EQ(Refuse(prefix.substr(0, 4)).reason, Reason::kMalformed);
  ExpectRequestRefused(Reason::kMalformed, "not JSON, or cut off",
                       prefix + R"({"type":"delete","id":"a")");
}

}  // namespace
}  // namespace lethe::rejection_test
