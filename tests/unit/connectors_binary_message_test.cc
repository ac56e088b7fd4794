// Messages in the binary form. Bad ones first.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/binary/event_codec.h"
#include "connectors/json/event_codec.h"
#include "connectors/json/event_writer.h"
#include "tests/support/binary_records.h"

namespace lethe {
namespace {

using testing::At;
using testing::Delete;
using testing::Describe;
using testing::Learn;

using Key = std::optional<std::string_view>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The bytes of a message, as docs/formats/binary.md writes them.
std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

template <typename Number>
std::string NumberBytes(Number number) {
  std::string text;
  wire::Append(number, text);
  return text;
}

constexpr int kLearn = 1, kDelete = 2, kUpdate = 3;
constexpr int kFloat32 = 1, kNamed = 2, kHasId = 4, kHasSubject = 8, kHasRequest = 16;

std::string Head(int kind, int flags) { return Bytes({0xb1, 1, kind, flags}); }

std::string Text(std::string_view text) {
  std::string bytes;
  wire::AppendVarint(text.size(), bytes);
  return bytes.append(text);
}

class BinaryMessageTest : public ::testing::Test {
 protected:
  std::string Encode(const Event& event, NumberWidth width = NumberWidth::kFloat64) {
    std::string out;
    const auto rejection = codec_.Encode(event, width, out);
    EXPECT_FALSE(rejection) << (rejection ? rejection->message : "");
    return out;
  }

  const Event& Accept(Key value, Key key = {}) {
    const auto rejection = codec_.DecodeValue(value, key, event_);
    EXPECT_FALSE(rejection) << (rejection ? rejection->message : "");
    return event_;
  }

  void ExpectRefused(Key value, Reason reason, const std::string& message, bool is_request,
                     Key key = {}) {
    event_ = Learn("left over", {1, 2}, 3);
    const auto rejection = codec_.DecodeValue(value, key, event_);
    ASSERT_TRUE(rejection) << message;
    EXPECT_EQ(ReasonName(rejection->reason), std::string(ReasonName(reason))) << message;
    EXPECT_EQ(rejection->message, message);
    EXPECT_EQ(rejection->is_request, is_request) << message;
    EXPECT_EQ(Describe(At(0, 0, 0, event_)), Describe(At(0, 0, 0, Event{})))
        << "nothing is left in the event";
  }

  void ExpectNotEncoded(const Event& event, Reason reason, const std::string& message,
                        NumberWidth width = NumberWidth::kFloat64) {
    std::string out = "before";
    const auto rejection = codec_.Encode(event, width, out);
    ASSERT_TRUE(rejection) << message;
    EXPECT_EQ(rejection->reason, reason) << message;
    EXPECT_EQ(rejection->message, message);
    EXPECT_EQ(out, "before");
  }

  BinaryEventCodec codec_;
  Event event_;
};

// One event of every shape.
std::vector<Event> Shapes() {
  std::vector<Event> events = {Learn("e-81", {0.1, -0.7, 3}, 1), Learn({}, {5}, -1),
                               Delete("e-81", {}), Delete({}, "user-7")};
  events.push_back(Learn("e", {1, 2}, 0.25));
  events.back().subject = "user-7";
  events.push_back(events.back());
  events.back().kind = EventKind::kUpdate;
  events.push_back(Delete({}, "user-7"));
  events.back().request = "rtbf-2291";
  events.push_back(Delete("e", {}));
  events.back().request = "";
  events.push_back(Learn("e-82", {}, -1));
  events.back().named = {{"country=DK", 1}, {"", 0.4}, {"\xc3\xa9", -2}, {"country=DK", 7}};
  events.push_back(Learn({}, {}, 1));  // "f":{}
  return events;
}

TEST_F(BinaryMessageTest, WhatIsNoBinaryMessageIsMalformed) {
  const std::string message = "does not begin as a binary message";
  ExpectRefused("", Reason::kMalformed, message, false);
  ExpectRefused("{\"type\":\"delete\",\"id\":\"a\"}", Reason::kMalformed, message, false);
  ExpectRefused(std::string_view("\0\0\0\0\1{}", 7), Reason::kMalformed, message, false);
  ExpectRefused("\x1f\x8b", Reason::kMalformed, message, false);
}

TEST_F(BinaryMessageTest, EveryProperBeginningOfAMessageIsCutOff) {
  for (const NumberWidth width : {NumberWidth::kFloat64, NumberWidth::kFloat32}) {
    for (const Event& event : Shapes()) {
      const std::string whole = Encode(event, width);
      for (std::size_t length = 1; length < whole.size(); ++length) {
        const bool is_request = event.kind == EventKind::kDelete && length > 2;
        ExpectRefused(whole.substr(0, length), Reason::kMalformed, "cut off", is_request);
      }
    }
  }
}

TEST_F(BinaryMessageTest, BytesBehindTheEndAreMalformed) {
  for (const Event& event : Shapes()) {
    ExpectRefused(Encode(event) + '\0', Reason::kMalformed,
                  "bytes follow behind the end of the message", event.kind == EventKind::kDelete);
  }
}

TEST_F(BinaryMessageTest, ALaterVersionIsRefusedWithItsNumberAndADeleteStillRecognised) {
  const std::string reads = " of the binary form; this program reads version 1";
  ExpectRefused(Bytes({0xb1, 2, kLearn, 0, 9, 9}), Reason::kMalformed, "version 2" + reads, false);
  ExpectRefused(Bytes({0xb1, 255, kDelete, 77}), Reason::kMalformed, "version 255" + reads, true);
  ExpectRefused(Bytes({0xb1, 0, kDelete, 0}), Reason::kMalformed, "version 0" + reads, true);
}

TEST_F(BinaryMessageTest, AnUnknownKindOrFlagIsRefused) {
  for (const int kind : {0, 4, 255}) {
    ExpectRefused(Head(kind, kHasId) + Text("e"), Reason::kUnknownType,
                  "the kind is none of learn, delete and update", false);
  }
  const std::string message = "flags that mean nothing are set";
  for (const int flag : {32, 64, 128}) {
    ExpectRefused(Head(kDelete, kHasId | flag) + Text("e"), Reason::kMalformed, message, true);
  }
  for (const int flag : {kFloat32, kNamed}) {
    ExpectRefused(Head(kDelete, kHasId | flag) + Text("e"), Reason::kMalformed, message, true);
  }
}

TEST_F(BinaryMessageTest, AnIntegerThatIsNotWrittenInTheShortestWayIsMalformed) {
  const std::string message = "an integer is too long";
  const std::string head = Head(kDelete, kHasId);
  ExpectRefused(head + Bytes({0x81, 0x00, 'e'}), Reason::kMalformed, message, true);
  ExpectRefused(head + Bytes({0x80, 0x80, 0x00}), Reason::kMalformed, message, true);
  ExpectRefused(head + std::string(9, '\x80') + "\x01", Reason::kMalformed, message, true);
  ExpectRefused(head + std::string(20, '\xff'), Reason::kMalformed, message, true);
}

TEST_F(BinaryMessageTest, LengthsThatTheMessageDoesNotHaveAllocateNothing) {
  const std::string huge = std::string(8, '\xff') + '\x7f';  // 2^63 - 1
  ExpectRefused(Head(kDelete, kHasId) + huge + "e", Reason::kMalformed, "cut off", true);
  const std::string y = NumberBytes(1.0);
  for (const std::string& count : {huge, std::string("\xff\xff\xff\xff\x0f")}) {
    ExpectRefused(Head(kLearn, 0) + y + count + y, Reason::kMalformed, "cut off", false);
    ExpectRefused(Head(kLearn, kNamed) + y + count + y, Reason::kMalformed, "cut off", false);
    ExpectRefused(Head(kLearn, kFloat32) + NumberBytes(1.0f) + count + y, Reason::kMalformed,
                  "cut off", false);
  }
  EXPECT_LT(event_.x.capacity(), 100u);
  EXPECT_LT(event_.named.capacity(), 100u);
}

TEST_F(BinaryMessageTest, ANumberThatIsNotFiniteIsRefusedWithItsPlace) {
  for (const double bad : {kInfinity, -kInfinity, kNaN, -kNaN}) {
    for (const bool is_float32 : {false, true}) {
      const auto number = [is_float32](double value) {
        return is_float32 ? NumberBytes(static_cast<float>(value)) : NumberBytes(value);
      };
      const int width = is_float32 ? kFloat32 : 0;
      ExpectRefused(Head(kLearn, width) + number(bad) + Bytes({1}) + number(1), Reason::kNotFinite,
                    "y is not finite", false);
      for (int place = 0; place < 9; ++place) {
        std::string dense = Head(kLearn, width) + number(1) + Bytes({9});
        std::string named = Head(kLearn, width | kNamed) + number(1) + Bytes({9});
        for (int i = 0; i < 9; ++i) {
          dense += number(i == place ? bad : i);
          named += Text("n") + number(i == place ? bad : i);
        }
        const std::string position = "[" + std::to_string(place) + "] is not finite";
        ExpectRefused(dense, Reason::kNotFinite, "x" + position, false);
        ExpectRefused(named, Reason::kNotFinite, "f" + position, false);
      }
    }
  }
}

TEST_F(BinaryMessageTest, AnExampleWithoutFeaturesOrAnUpdateWithoutAnIdIsRefused) {
  const std::string numbers = NumberBytes(1.0) + Bytes({1}) + NumberBytes(1.0);
  ExpectRefused(Head(kLearn, 0) + NumberBytes(1.0) + Bytes({0}), Reason::kWrongDimension,
                "x is empty", false);
  ExpectRefused(Head(kUpdate, kHasSubject) + Text("s") + numbers, Reason::kMissingField,
                "id is missing: an update has to name what it replaces", false);
}

TEST_F(BinaryMessageTest, ADeleteThatNamesNothingIsARejectedRequest) {
  ExpectRefused(Head(kDelete, 0), Reason::kMissingTarget,
                "a delete needs an id, a subject or a message key", true);
  ExpectRefused(Head(kDelete, kHasRequest) + Text("r"), Reason::kMissingTarget,
                "a delete needs an id, a subject or a message key", true);
  ExpectRefused(std::nullopt, Reason::kMissingTarget,
                "a delete needs an id, a subject or a message key", true);
}

TEST_F(BinaryMessageTest, TextsOfABadLengthAreBadReferences) {
  const std::string numbers = NumberBytes(1.0) + Bytes({1}) + NumberBytes(1.0);
  const std::string id(kMaxIdBytes + 1, 'a');
  const std::string request(kMaxRequestBytes + 1, 'a');
  const auto bad = Reason::kBadReference;
  ExpectRefused(Head(kLearn, kHasId) + Text("") + numbers, bad, "id is empty", false);
  ExpectRefused(Head(kLearn, kHasId) + Text(id) + numbers, bad, "id is longer than 1024 bytes",
                false);
  ExpectRefused(Head(kLearn, kHasSubject) + Text("") + numbers, bad, "subject is empty", false);
  ExpectRefused(Head(kDelete, kHasSubject) + Text(id), bad, "subject is longer than 1024 bytes",
                true);
  ExpectRefused(Head(kDelete, kHasId | kHasRequest) + Text("e") + Text(request), bad,
                "request is longer than 128 bytes", true);
  ExpectRefused(Head(kLearn, 0) + numbers, bad, "the key is empty", false, "");
  ExpectRefused(Head(kDelete, 0), bad, "the key is longer than 1024 bytes", true, id);
  ExpectRefused(std::nullopt, bad, "the key is empty", true, "");
  EXPECT_EQ(Accept(Head(kDelete, kHasId) + Text(id.substr(1))).id, id.substr(1));
  EXPECT_EQ(
      Accept(Head(kDelete, kHasId | kHasRequest) + Text("e") + Text(request.substr(1))).request,
      request.substr(1));
}

TEST_F(BinaryMessageTest, TextThatIsNotUtf8IsMalformedWhereverItStands) {
  const std::string numbers = NumberBytes(1.0) + Bytes({1}) + NumberBytes(1.0);
  for (const std::string text : {"\xff", "a\x80", "\xc3", "aaaaaaaaaaaa\xed\xa0\x80", "aaaaaaa\xff",
                                 "\xffzzzzzzz", "aaaaaaaabbbb\xff", "aaa\xff"}) {
    ExpectRefused(Head(kLearn, kHasId) + Text(text) + numbers, Reason::kMalformed,
                  "id is not valid UTF-8", false);
    ExpectRefused(Head(kDelete, kHasSubject) + Text(text), Reason::kMalformed,
                  "subject is not valid UTF-8", true);
    ExpectRefused(Head(kDelete, kHasId | kHasRequest) + Text("e") + Text(text), Reason::kMalformed,
                  "request is not valid UTF-8", true);
    ExpectRefused(Head(kLearn, kNamed) + NumberBytes(1.0) + Bytes({2}) + Text("a") +
                      NumberBytes(1.0) + Text(text) + NumberBytes(1.0),
                  Reason::kMalformed, "the name of f[1] is not valid UTF-8", false);
  }
}

TEST_F(BinaryMessageTest, AMessageAboveTheLimitIsTooLarge) {
  BinaryEventCodec codec(100);
  const std::string whole = Encode(Learn("e", std::vector<double>(12, 1.0), 1));
  std::string out;
  EXPECT_EQ(codec.DecodeValue(whole, {}, event_)->message, "larger than 100 bytes");
  EXPECT_EQ(
      codec.Encode(Learn("e", std::vector<double>(12, 1.0), 1), NumberWidth::kFloat64, out)->reason,
      Reason::kTooLarge);
  EXPECT_EQ(out, "");
  EXPECT_FALSE(
      codec.Encode(Learn("e", std::vector<double>(10, 1.0), 1), NumberWidth::kFloat64, out));
  EXPECT_FALSE(codec.DecodeValue(out, {}, event_));
  const std::string large_delete = Head(kDelete, kHasId) + std::string(200, 'a');
  EXPECT_EQ(codec.DecodeValue(large_delete, {}, event_)->reason, Reason::kTooLarge);
  EXPECT_TRUE(codec.DecodeValue(large_delete, {}, event_)->is_request);
}

TEST_F(BinaryMessageTest, AnEventThatNoReaderWouldTakeIsNotEncoded) {
  ExpectNotEncoded(Learn("", {1}, 1), Reason::kBadReference, "id is empty");
  ExpectNotEncoded(Learn("\xff", {1}, 1), Reason::kMalformed, "id is not valid UTF-8");
  ExpectNotEncoded(Learn("e", {1, kNaN}, 1), Reason::kNotFinite, "x[1] is not finite");
  ExpectNotEncoded(Learn("e", {1}, kInfinity), Reason::kNotFinite, "y is not finite");
  ExpectNotEncoded(Delete({}, {}), Reason::kMissingTarget,
                   "a delete needs an id, a subject or a message key");
  Event event = Learn({}, {1}, 1);
  event.kind = EventKind::kUpdate;
  ExpectNotEncoded(event, Reason::kMissingField,
                   "id is missing: an update has to name what it replaces");
  event = Delete("e", {});
  event.request = std::string(129, 'r');
  ExpectNotEncoded(event, Reason::kBadReference, "request is longer than 128 bytes");
  event = Delete({}, std::string(1025, 's'));
  ExpectNotEncoded(event, Reason::kBadReference, "subject is longer than 1024 bytes");
  event = Learn("e", {}, 1);
  event.named = {{"a", 1}, {"\x80", 1}};
  ExpectNotEncoded(event, Reason::kMalformed, "the name of f[1] is not valid UTF-8");
}

TEST_F(BinaryMessageTest, ANumberTooLargeForFloat32IsNotEncodedAsSuch) {
  const double largest = std::numeric_limits<float>::max();
  const double above = std::nextafter(largest, kInfinity);
  ExpectNotEncoded(Learn("e", {1, above}, 1), Reason::kNotFinite, "x[1] is too large for float32",
                   NumberWidth::kFloat32);
  ExpectNotEncoded(Learn("e", {1}, -1e300), Reason::kNotFinite, "y is too large for float32",
                   NumberWidth::kFloat32);
  const std::string message = Encode(Learn("e", {largest, -largest}, 1), NumberWidth::kFloat32);
  EXPECT_EQ(Accept(message).x, (std::vector<double>{largest, -largest}));
  EXPECT_EQ(CountInexactInFloat32(Learn("e", {1, above, 0.5, 0.1}, 1e300)), 3u);
}

TEST_F(BinaryMessageTest, EveryShapeIsReadBackAsItWas) {
  for (const Event& event : Shapes()) {
    Accept(Encode(event));
    EXPECT_EQ(Describe(At(0, 0, 0, event_)), Describe(At(0, 0, 0, event)));
  }
}

TEST_F(BinaryMessageTest, Float64KeepsEveryBit) {
  const double smallest = std::numeric_limits<double>::denorm_min();
  const double largest = std::numeric_limits<double>::max();
  const std::vector<double> x = {0.0, -0.0, smallest, -smallest, largest, -largest, 0.1, 1.0 / 3};
  Accept(Encode(Learn("e", x, -0.0)));
  ASSERT_EQ(event_.x.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(event_.x[i]), std::bit_cast<std::uint64_t>(x[i])) << i;
  }
  EXPECT_TRUE(std::signbit(event_.y));
}

TEST_F(BinaryMessageTest, Float32IsTheNearestFloatAndFloatsAreExact) {
  const std::string message = Encode(Learn("e", {0.1, 0.5, -3, 1e-40}, 0.3), NumberWidth::kFloat32);
  EXPECT_EQ(message.size(), 4u + 2 + 4 + 1 + 4 * 4);
  EXPECT_EQ(Accept(message).x, (std::vector<double>{0.1f, 0.5, -3, 1e-40f}));
  EXPECT_EQ(event_.y, 0.3f);
  EXPECT_EQ(CountInexactInFloat32(Learn("e", {0.1, 0.5, -3, 1e-40}, 0.3)), 3u);
  EXPECT_EQ(CountInexactInFloat32(event_), 0u);
  EXPECT_EQ(Encode(event_, NumberWidth::kFloat32), message);
}

TEST_F(BinaryMessageTest, AnEventHasOneEncoding) {
  for (const NumberWidth width : {NumberWidth::kFloat64, NumberWidth::kFloat32}) {
    for (const Event& event : Shapes()) {
      const std::string message = Encode(event, width);
      EXPECT_EQ(Encode(Accept(message), width), message);
    }
  }
}

TEST_F(BinaryMessageTest, KeyAndSubjectMeanWhatTheyMeanInJson) {
  JsonEventCodec json;
  const std::string x1 = NumberBytes(1.0) + Bytes({1}) + NumberBytes(1.0);
  const std::vector<std::pair<std::string, std::string>> same = {
      {Head(kLearn, 0) + x1, R"({"type":"learn","x":[1],"y":1})"},
      {Head(kLearn, kHasSubject) + Text("s") + x1,
       R"({"type":"learn","subject":"s","x":[1],"y":1})"},
      {Head(kUpdate, kHasId | kHasSubject) + Text("e") + Text("s") + x1,
       R"({"type":"update","id":"e","subject":"s","x":[1],"y":1})"},
      {Head(kLearn, kHasRequest) + Text("r") + x1,
       R"({"type":"learn","request":"r","x":[1],"y":1})"},
      {Head(kDelete, kHasId | kHasSubject | kHasRequest) + Text("e") + Text("s") + Text("r"),
       R"({"type":"delete","id":"e","subject":"s","request":"r"})"},
      {Head(kDelete, kHasSubject) + Text("s"), R"({"type":"delete","subject":"s"})"},
      {Head(kDelete, 0), R"({"type":"delete"})"}};
  for (const Key key : {Key(), Key("k"), Key("")}) {
    for (const auto& [binary, text] : same) {
      Event other;
      const auto expected = json.DecodeValue(text, key, other);
      const auto rejection = codec_.DecodeValue(binary, key, event_);
      ASSERT_EQ(rejection.has_value(), expected.has_value()) << text;
      EXPECT_EQ(Describe(At(0, 0, 0, event_)), Describe(At(0, 0, 0, other))) << text;
      if (!rejection) continue;
      EXPECT_EQ(rejection->reason, expected->reason) << text;
      EXPECT_EQ(rejection->is_request, expected->is_request) << text;
    }
  }
}

TEST_F(BinaryMessageTest, NoValueDeletesTheKey) {
  EXPECT_EQ(Accept(std::nullopt, "user-7").kind, EventKind::kDelete);
  EXPECT_EQ(event_.subject, "user-7");
  EXPECT_EQ(event_.id, std::nullopt);
}

TEST_F(BinaryMessageTest, NothingOfTheEventBeforeIsLeft) {
  const std::vector<Event> shapes = Shapes();
  for (const Event& before : shapes) {
    for (const Event& event : shapes) {
      Accept(Encode(before));
      Accept(Encode(event));
      EXPECT_EQ(Describe(At(0, 0, 0, event_)), Describe(At(0, 0, 0, event)));
    }
  }
}

TEST_F(BinaryMessageTest, BuffersOfTextsSurviveEventsWithoutThem) {
  Event named = Learn({}, {}, 1);
  named.named = {{"a name that is too long for that too", 1}};
  Event dense = Learn("an id that is too long to be kept inline", {1, 2}, 1);
  const std::string messages[] = {Encode(dense), Encode(named)};
  std::set<const void*> buffers;
  for (int round = 0; round < 6; ++round) {
    Accept(messages[0]);
    buffers.insert(event_.id->data());
    Accept(messages[1]);
    buffers.insert(event_.named[0].first.data());
  }
  EXPECT_LE(buffers.size(), 2u) << "they are handed on from field to field";
}

TEST_F(BinaryMessageTest, TheFirstByteTellsBinaryFromJson) {
  EXPECT_TRUE(BinaryEventCodec::IsMessage(Encode(Delete("e", {}))));
  EXPECT_FALSE(BinaryEventCodec::IsMessage(""));
  EXPECT_FALSE(BinaryEventCodec::IsMessage(R"({"type":"learn"})"));
  EXPECT_FALSE(BinaryEventCodec::IsMessage(std::string_view("\0\0\0\0\7{}", 7)));
}

}  // namespace
}  // namespace lethe
