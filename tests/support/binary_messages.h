#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/binary/event_codec.h"
#include "tests/support/binary_records.h"

namespace lethe::testing {

using Key = std::optional<std::string_view>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The bytes of a message, as docs/formats/binary.md writes them.
inline std::string Bytes(std::initializer_list<int> bytes) {
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

inline constexpr int kLearn = 1, kDelete = 2, kUpdate = 3;
inline constexpr int kFloat32 = 1, kNamed = 2, kHasId = 4, kHasSubject = 8, kHasRequest = 16,
                     kHasWeight = 64, kHasLabel = 128;

inline std::string Head(int kind, int flags) { return Bytes({0xb1, 1, kind, flags}); }

inline std::string Text(std::string_view text) {
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
inline std::vector<Event> Shapes() {
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
  events.push_back(events.back());
  events.back().texts = {{"title", "A cheap flight"}, {"", "\xc3\xa9"}, {"title", ""}};
  events.push_back(events.back());
  events.back().kind = EventKind::kUpdate;
  events.back().named.clear();
  events.push_back(Learn({}, {}, 1));  // "f":{}
  for (const double w : {2.5, 0.0, -1.0}) {
    events.push_back(Learn("e-83", {0.5, 2}, 1));
    events.back().w = w;
  }
  for (const char* label : {"cat", "", "\xc3\xa9"}) {
    events.push_back(Learn("e-84", {0.5, 2}, 0));
    events.back().label = label;
  }
  events.back().w = 0.25;
  events.push_back(events.back());
  events.back().kind = EventKind::kUpdate;
  events.back().x.clear();
  events.back().named = {{"age", 0.4}};
  return events;
}

}  // namespace lethe::testing
