// Binary messages that are written and read back.

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

#include "connectors/json/event_codec.h"
#include "tests/support/binary_messages.h"

namespace lethe::message_test {
namespace {

using testing::At;
using testing::BinaryMessageTest;
using testing::Bytes;
using testing::Delete;
using testing::Describe;
using testing::Head;
using testing::kDelete;
using testing::Key;
using testing::kFloat32;
using testing::kHasId;
using testing::kHasRequest;
using testing::kHasSubject;
using testing::kInfinity;
using testing::kLearn;
using testing::kNaN;
using testing::kUpdate;
using testing::Learn;
using testing::NumberBytes;
using testing::Shapes;
using testing::Text;

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
}  // namespace lethe::message_test
