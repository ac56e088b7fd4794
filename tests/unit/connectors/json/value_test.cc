// What the value of a message means, once it is accepted.

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/json/event_codec.h"

namespace lethe::value_test {
namespace {

using Key = std::optional<std::string_view>;

class JsonValueTest : public ::testing::Test {
 protected:
  // The event that a value means; fails the test if it is refused.
  const Event& Accept(std::string_view value, Key key = {}) {
    const auto rejection = codec_.DecodeValue(value, key, event_);
    EXPECT_FALSE(rejection) << value << ": " << (rejection ? rejection->message : "");
    return event_;
  }

  JsonEventCodec codec_;
  Event event_;
};

TEST_F(JsonValueTest, ADenseLearnIsDecoded) {
  const Event& event = Accept(R"({"type":"learn","id":"e-81","x":[0.1,-0.7,3],"y":1})");
  EXPECT_EQ(event.kind, EventKind::kLearn);
  EXPECT_EQ(event.id, "e-81");
  EXPECT_EQ(event.subject, std::nullopt);
  EXPECT_EQ(event.request, std::nullopt);
  EXPECT_EQ(event.x, (std::vector<double>{0.1, -0.7, 3}));
  EXPECT_TRUE(event.named.empty());
  EXPECT_EQ(event.y, 1);
}

TEST_F(JsonValueTest, NamedFeaturesKeepTheirOrderAndRepeatedNames) {
  const Event& event =
      Accept(R"({"type":"learn","f":{"b":1,"a":0.4,"b":2,"":3,"\u00e9":4},"y":-1})");
  EXPECT_EQ(event.named, (std::vector<std::pair<std::string, double>>{
                             {"b", 1}, {"a", 0.4}, {"b", 2}, {"", 3}, {"\xc3\xa9", 4}}));
  EXPECT_TRUE(event.x.empty());
  EXPECT_EQ(event.y, -1);
  const Event& mixed =
      Accept(R"({"type":"learn","f":{"t":"A \u00e9","a":1,"":"","t":"b","c":2},"y":-1})");
  EXPECT_EQ(mixed.named, (NamedValues{{"a", 1}, {"c", 2}}));
  EXPECT_EQ(mixed.texts, (NamedTexts{{"t", "A \xc3\xa9"}, {"", ""}, {"t", "b"}}));
  EXPECT_TRUE(Accept(R"({"type":"learn","f":{},"y":-1})").texts.empty());
  EXPECT_TRUE(Accept(R"({"type":"learn","f":{},"y":-1})").named.empty());
}

TEST_F(JsonValueTest, AnUpdateIsALearnWithAnId) {
  const Event& event = Accept(R"({"type":"update","id":"e-82","f":{"a":2},"y":1})", "user-7");
  EXPECT_EQ(event.kind, EventKind::kUpdate);
  EXPECT_EQ(event.id, "e-82");
  EXPECT_EQ(event.subject, "user-7");
  EXPECT_EQ(event.named.size(), 1u);
}

TEST_F(JsonValueTest, EveryFiniteNumberIsReadExactly) {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(Accept(R"({"type":"learn","y":1,"x":[1.7976931348623157e308,5e-324,-0.0,1e-400,
                       9007199254740993,18446744073709551615,-9223372036854775808,1E2]})")
                .x,
            (std::vector<double>{largest, smallest, 0, 0, 9007199254740992, 18446744073709551615.0,
                                 -9223372036854775808.0, 100}));
}

TEST_F(JsonValueTest, IntegersAbove64BitsAreNumbersToo) {
  EXPECT_EQ(Accept(R"({"type":"learn","x":[123456789012345678901234567890,
                       -18446744073709551616,1],"y":100000000000000000000})")
                .x,
            (std::vector<double>{123456789012345678901234567890.0, -18446744073709551616.0, 1}));
  EXPECT_EQ(event_.y, 1e20);
}

TEST_F(JsonValueTest, AnIntegerStandsForItsDecimalText) {
  const std::string learn = R"({"type":"learn","x":[1],"y":1,"id":)";
  EXPECT_EQ(Accept(learn + "81}").id, "81");
  EXPECT_EQ(Accept(learn + "-7}").id, "-7");
  EXPECT_EQ(Accept(learn + "18446744073709551615}").id, "18446744073709551615");
  EXPECT_EQ(Accept(R"({"type":"delete","subject":7,"request":2291})").subject, "7");
  EXPECT_EQ(event_.request, "2291");
}

TEST_F(JsonValueTest, TheKeyOfAMessageIsTheSubjectOfWhatItTeaches) {
  const std::string learn = R"({"type":"learn","x":[1],"y":1,"subject":"value"})";
  EXPECT_EQ(Accept(learn, "key").subject, "key");
  EXPECT_EQ(Accept(learn).subject, "value");
  EXPECT_EQ(Accept(R"({"type":"learn","x":[1],"y":1,"subject":null})").subject, std::nullopt);
}

TEST_F(JsonValueTest, ADeleteNamesExactlyOneThing) {
  EXPECT_EQ(Accept(R"({"type":"delete","id":"e","subject":"s","request":"r"})", "k").id, "e");
  EXPECT_EQ(event_.subject, std::nullopt);
  EXPECT_EQ(event_.request, "r");
  EXPECT_EQ(Accept(R"({"type":"delete","subject":"s"})", "k").subject, "s");
  EXPECT_EQ(event_.id, std::nullopt);
  EXPECT_EQ(event_.request, std::nullopt);
  EXPECT_EQ(Accept(R"({"type":"delete"})", "k").subject, "k");
  EXPECT_EQ(event_.kind, EventKind::kDelete);
}

TEST_F(JsonValueTest, ADeleteIsNotRefusedForWhatItDoesNotUse) {
  EXPECT_EQ(Accept(R"({"type":"delete","id":"e","subject":[],"x":"?","f":1,"y":null})", "").id,
            "e");
  EXPECT_TRUE(event_.x.empty());
}

TEST_F(JsonValueTest, ANullValueDeletesTheKey) {
  for (const auto value : {Key(), Key("null"), Key(" null\n")}) {
    ASSERT_FALSE(codec_.DecodeValue(value, "user-7", event_));
    EXPECT_EQ(event_.kind, EventKind::kDelete);
    EXPECT_EQ(event_.subject, "user-7");
    EXPECT_EQ(event_.id, std::nullopt);
  }
}

TEST_F(JsonValueTest, AKeyMayHoldAnyBytes) {
  const std::string key("\xff\x00\x01", 3);
  EXPECT_EQ(Accept("null", key).subject, key);
}

TEST_F(JsonValueTest, OfARepeatedMemberTheLastCounts) {
  const Event& event =
      Accept(R"({"type":"delete","type":"learn","x":"?","x":[1],"y":1,"y":2,"id":"a","id":"b"})");
  EXPECT_EQ(event.kind, EventKind::kLearn);
  EXPECT_EQ(event.id, "b");
  EXPECT_EQ(event.x, std::vector<double>{1});
  EXPECT_EQ(event.y, 2);
}

TEST_F(JsonValueTest, TheOrderOfMembersAndUnknownOnesDoNotMatter) {
  const Event& event = Accept(
      "\t{ \"y\" : 1 , \"extra\":{\"type\":\"delete\"}, \"x\" : [ 1 ] ,\n\"type\" : \"learn\" } ");
  EXPECT_EQ(event.kind, EventKind::kLearn);
  EXPECT_EQ(event.x, std::vector<double>{1});
}

TEST_F(JsonValueTest, ALabelMayBeTheNameOfAClass) {
  for (const char* end : {"", " "}) {  // canonical or not
    const auto text = [end](const std::string& y) {
      return R"({"type":"learn","x":[1],"y":)" + y + "}" + end;
    };
    EXPECT_EQ(Accept(text("\"cat\"")).label, "cat");
    EXPECT_EQ(event_.y, 0);
    EXPECT_EQ(Accept(text("\"caf\\u00e9\"")).label, "caf\xc3\xa9");
    EXPECT_EQ(Accept(text("\"\"")).label, "");
    EXPECT_EQ(Accept(text("3")).label, std::nullopt);
    EXPECT_EQ(event_.y, 3);
  }
}

TEST_F(JsonValueTest, AnEventMayHaveAWeight) {
  for (const char* end : {"", " "}) {
    const auto text = [end](const std::string& rest) {
      return R"({"type":"learn","x":[1],"y":1)" + rest + "}" + end;
    };
    EXPECT_EQ(Accept(text(R"(,"w":2.5)")).w, 2.5);
    EXPECT_EQ(Accept(text("")).w, 1);
    EXPECT_EQ(Accept(text(R"(,"w":0)")).w, 0);
    EXPECT_EQ(Accept(text(R"(,"w":-3)")).w, -3) << "its range is for the admission to enforce";
    EXPECT_EQ(Accept(text(R"(,"w":1e300)")).w, 1e300);
  }
  Accept(R"({"type":"learn","x":[1],"y":"cat","w":2})");
  const Event& removal = Accept(R"({"type":"delete","id":"a","y":"dog","w":"heavy"})");
  EXPECT_EQ(removal.w, 1);
  EXPECT_FALSE(removal.label);
}

TEST_F(JsonValueTest, MembersThatAnEventDoesNotHaveAreCounted) {
  const auto unknown = [this](const std::string& members) {
    return Accept(R"({"type":"learn","id":"a","x":[1],"y":1)" + members + "}").unknown_members;
  };
  EXPECT_EQ(unknown(""), 0u);
  EXPECT_EQ(unknown(R"(,"w":1)"), 0u);
  EXPECT_EQ(unknown(R"(,"weight":2)"), 1u);
  EXPECT_EQ(unknown(R"(,"weight":2,"W":3,"":4)"), 3u);
  EXPECT_EQ(unknown(R"(,"request":"r","subject":"s","cause":"update")"), 0u);
  EXPECT_EQ(unknown(R"(,"timestamp":17,"key":"k")"), 2u) << "an envelope has them, an event not";
  EXPECT_EQ(unknown(" "), 0u);
  EXPECT_EQ(Accept(R"({"type":"delete","id":"a","note":1})").unknown_members, 1u);
  EXPECT_EQ(Accept("null", "k").unknown_members, 0u);
}

TEST_F(JsonValueTest, TheFiveBytesOfASchemaRegistryAreSkipped) {
  const std::string prefix("\0\0\0\x01\x02", 5);
  EXPECT_EQ(Accept(prefix + R"({"type":"delete","id":"a"})").id, "a");
}

TEST_F(JsonValueTest, AReusedEventKeepsNothingOfTheOneBefore) {
  Accept(R"({"type":"learn","id":"a","x":[1,2,3],"y":5})", "k");
  const Event& named = Accept(R"({"type":"learn","f":{"a":1,"b":2},"y":1})");
  EXPECT_TRUE(named.x.empty());
  EXPECT_FALSE(named.id || named.subject);
  EXPECT_EQ(Accept(R"({"type":"learn","f":{"c":1},"y":1})").named.size(), 1u);
  EXPECT_TRUE(Accept(R"({"type":"learn","x":[1],"y":1})").named.empty());
  Accept(R"({"type":"learn","f":{"c":1},"y":1})");
  const Event& removal = Accept(R"({"type":"delete","id":"a","request":"r"})");
  EXPECT_TRUE(removal.named.empty());
  EXPECT_EQ(removal.y, 0);
  const Event& dense = Accept(R"({"type":"learn","x":[1],"y":1})");
  EXPECT_TRUE(dense.named.empty());
  EXPECT_FALSE(dense.id || dense.request);
}

}  // namespace
}  // namespace lethe::value_test
