// Bytes that are no binary message, or none that may be taken: each is refused with its reason.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/binary_messages.h"

namespace lethe::binary_refusals_test {
namespace {

using testing::BinaryMessageTest;
using testing::Bytes;
using testing::Head;
using testing::kDelete;
using testing::kFloat32;
using testing::kHasId;
using testing::kHasLabel;
using testing::kHasRequest;
using testing::kHasSubject;
using testing::kHasWeight;
using testing::kInfinity;
using testing::kLearn;
using testing::kNamed;
using testing::kNaN;
using testing::kUpdate;
using testing::Learn;
using testing::NumberBytes;
using testing::Shapes;
using testing::Text;

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
  // Of the old version of an event.
  EXPECT_TRUE(Accept(Head(kDelete, kHasId | 32) + Text("e")).is_replaced);
  ExpectRefused(Head(kDelete, kHasSubject | 32) + Text("s"), Reason::kMalformed, message, true);
  ExpectRefused(Head(kLearn, kHasId | 32) + Text("e"), Reason::kMalformed, message, false);
  for (const int flag : {kFloat32, kNamed, kHasWeight, kHasLabel}) {
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
      ExpectRefused(
          Head(kLearn, width | kHasWeight) + number(1) + number(bad) + Bytes({1}) + number(1),
          Reason::kNotFinite, "w is not finite", false);
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

TEST_F(BinaryMessageTest, AWeightOfOneIsWrittenByLeavingItOut) {
  const std::string x1 = Bytes({1}) + NumberBytes(1.0);
  ExpectRefused(Head(kLearn, kHasWeight) + NumberBytes(1.0) + NumberBytes(1.0) + x1,
                Reason::kMalformed, "w is written although it is 1", false);
  EXPECT_EQ(Accept(Head(kLearn, kHasWeight) + NumberBytes(1.0) + NumberBytes(2.5) + x1).w, 2.5);
  // Rounded to a float it is 1.
  Event event = Learn("e", {0.5}, 1);
  event.w = 1 + 1e-12;
  EXPECT_EQ(Encode(event, NumberWidth::kFloat32),
            Encode(Learn("e", {0.5}, 1), NumberWidth::kFloat32));
  EXPECT_EQ(CountInexactInFloat32(event), 1u);
}

TEST_F(BinaryMessageTest, AClassThatIsNotUtf8IsMalformed) {
  const std::string x1 = Bytes({1}) + NumberBytes(1.0);
  ExpectRefused(Head(kLearn, kHasLabel) + Text("\xff") + x1, Reason::kMalformed,
                "y is not valid UTF-8", false);
  Event event = Learn("e", {0.5}, 0);
  event.label = "\xff";
  ExpectNotEncoded(event, Reason::kMalformed, "y is not valid UTF-8");
  event.label = "cat";
  event.w = kNaN;
  ExpectNotEncoded(event, Reason::kNotFinite, "w is not finite");
  EXPECT_EQ(*Accept(Head(kLearn, kHasLabel) + Text("cat") + x1).label, "cat");
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

TEST_F(BinaryMessageTest, TextThatIsNotUtf8IsMalformedUnlessItIsASubject) {
  const std::string numbers = NumberBytes(1.0) + Bytes({1}) + NumberBytes(1.0);
  for (const std::string text : {"\xff", "a\x80", "\xc3", "aaaaaaaaaaaa\xed\xa0\x80", "aaaaaaa\xff",
                                 "\xffzzzzzzz", "aaaaaaaabbbb\xff", "aaa\xff"}) {
    ExpectRefused(Head(kLearn, kHasId) + Text(text) + numbers, Reason::kMalformed,
                  "id is not valid UTF-8", false);
    EXPECT_EQ(Accept(Head(kDelete, kHasSubject) + Text(text)).subject, text) << "as any key is";
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

}  // namespace
}  // namespace lethe::binary_refusals_test
