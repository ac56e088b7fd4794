// The fast way to read a learn event against the general one, which white space at the end forces.

#include "connectors/json/canonical.h"

#include <bit>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/json/event_codec.h"
#include "connectors/json/number_array.h"

namespace lethe::canonical_test {
namespace {

using Key = std::optional<std::string_view>;

class Random {
 public:
  std::size_t Below(std::size_t bound) { return engine_() % bound; }
  std::string Pick(std::initializer_list<const char*> texts) {
    return *(texts.begin() + Below(texts.size()));
  }
  std::string Digits(std::size_t most) {
    std::string digits;
    for (std::size_t i = Below(most + 1); i > 0; --i) digits += static_cast<char>('0' + Below(10));
    return digits;
  }

 private:
  std::mt19937_64 engine_{7};
};

// Mostly numbers as people send them, and some of every other kind.
std::string Number(Random& random) {
  switch (random.Below(8)) {
    case 0:
      return random.Pick({"0", "-0", "1", "-1", "-0.0", "0.0", "9007199254740993", "00", "1."});
    case 1: return random.Digits(20) + "." + random.Digits(20);
    case 2: return "-" + random.Digits(3) + random.Pick({"", ".5", ".", "e3"});
    case 3:
      return "0." + random.Digits(9) + random.Pick({"e-3", "E5", "e+300", "e-400", "e", "e999"});
    case 4: return random.Pick({"9.", "-9."}) + "00719925474099" + random.Digits(2);
    default:
      return random.Pick({"", "-"}) + std::to_string(random.Below(10)) + "." + random.Digits(17);
  }
}

std::string Label(Random& random) {
  switch (random.Below(4)) {
    case 0: return random.Pick({R"("cat")", R"("a dog")", R"("")", R"("caf\u00e9")", R"("\"")"});
    case 1: return Number(random);
    default: return random.Pick({"1", "-1", "0"});
  }
}

std::string Text(Random& random) {
  std::string text = R"({"type":"learn")";
  if (random.Below(4) > 0) text += R"(,"id":"e-)" + random.Digits(8) + '"';
  if (random.Below(4) == 0) text += R"(,"subject":"user )" + random.Digits(3) + '"';
  text += R"(,"x":[)";
  for (std::size_t i = 0, count = 1 + random.Below(12); i < count; ++i) {
    if (i > 0) text += ',';
    text += Number(random);
  }
  text += R"(],"y":)" + Label(random);
  if (random.Below(3) == 0) text += R"(,"w":)" + Number(random);
  text += "}";
  // Sometimes a byte or two are others.
  for (std::size_t changes = random.Below(6) / 4; changes > 0; --changes) {
    static constexpr std::string_view kBytes = "\"\\,.[]{}:0123456789-+eE \n\x80\x7f\0x";
    text[random.Below(text.size())] = kBytes[random.Below(kBytes.size())];
  }
  return text;
}

void ExpectSameBits(double a, double b) {
  ASSERT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b));
}

TEST(CanonicalTest, ReadsWhatTheGeneralWayReads) {
  Random random;
  JsonEventCodec codec;
  Event fast;
  Event general;
  int taken = 0, with_label = 0, with_weight = 0;
  for (int i = 0; i < 400'000; ++i) {
    const std::string text = Text(random);
    const Key key = random.Below(3) == 0 ? Key("a key") : Key();
    if (!ReadCanonicalLearn(text, key, fast)) continue;
    ++taken;
    const auto refused = codec.DecodeValue(text + " ", key, general);
    ASSERT_FALSE(refused) << text;
    ASSERT_EQ(fast.kind, general.kind);
    ASSERT_EQ(fast.id, general.id) << text;
    ASSERT_EQ(fast.subject, general.subject) << text;
    ASSERT_EQ(fast.request, general.request);
    ASSERT_EQ(fast.named, general.named);
    ASSERT_EQ(fast.x.size(), general.x.size()) << text;
    SCOPED_TRACE(text);
    for (std::size_t k = 0; k < fast.x.size(); ++k) ExpectSameBits(fast.x[k], general.x[k]);
    ExpectSameBits(fast.y, general.y);
    ExpectSameBits(fast.w, general.w);
    ASSERT_EQ(fast.label, general.label);
    ASSERT_EQ(fast.unknown_members, general.unknown_members);
    with_label += fast.label ? 1 : 0;
    with_weight += fast.w != 1 ? 1 : 0;
  }
  EXPECT_GT(with_label, 5'000);
  EXPECT_GT(with_weight, 5'000);
  EXPECT_GT(taken, 60'000);
}

// Four at a time, with one that is not short at every place, and up to what two windows hold.
TEST(CanonicalTest, ReadsGroupsOfNumbersWithAnOddOneAmongThem) {
  Random random;
  Event event;
  const auto expected = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
  for (std::size_t count = 1; count < 40; ++count) {
    for (std::size_t odd = 0; odd <= count; ++odd) {
      std::vector<std::string> numbers;
      for (std::size_t i = 0; i < count; ++i) {
        std::string digits;
        for (std::size_t k = 1 + random.Below(14); k > 0; --k)
          digits += random.Pick({"0", "5", "9"});
        numbers.push_back(i == odd ? random.Pick({"3", "-0", "12.5", "1e-5", "0.123456789012345"})
                                   : random.Pick({"", "-"}) + random.Pick({"0.", "9."}) + digits);
      }
      std::string text;
      for (const std::string& number : numbers) text += (text.empty() ? "" : ",") + number;
      ASSERT_TRUE(ReadCanonicalLearn(R"({"type":"learn","x":[)" + text + R"(],"y":1})",
                                     std::nullopt, event))
          << text;
      ASSERT_EQ(event.x.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        if (numbers[i] != "-0") ExpectSameBits(event.x[i], expected(numbers[i]));
      }
    }
  }
}

// One byte of a group is another: it is read as the general way reads it, or left to it.
TEST(CanonicalTest, ReadsNoNumberThatIsNone) {
  JsonEventCodec codec;
  Event fast;
  Event general;
  const std::string numbers = "0.123456,-0.98,5.0,-9.99999999999999,0.5,0.25,0.125,0.0625";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = numbers;
      changed[i] = static_cast<char>(byte);
      const std::string text = R"({"type":"learn","x":[)" + changed + R"(],"y":1})";
      if (!ReadCanonicalLearn(text, std::nullopt, fast)) continue;
      ASSERT_FALSE(codec.DecodeValue(text + " ", std::nullopt, general)) << text;
      ASSERT_EQ(fast.x.size(), general.x.size()) << text;
      for (std::size_t k = 0; k < fast.x.size(); ++k) ExpectSameBits(fast.x[k], general.x[k]);
    }
  }
}

// Whichever way this processor goes, both are there and agree on what they read, and where it ends.
TEST(CanonicalTest, NumbersAreReadAlikeManyAtATimeAndOneByOne) {
  Random random;
  std::vector<double> fast;
  std::vector<double> slow;
  int read = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text(kBehind, ' ');
    for (std::size_t k = 1 + random.Below(30); k > 0; --k) {
      text += random.Below(9) > 0 ? random.Pick({"0.125", "-3.75", "0.000001"}) : Number(random);
      text += k > 1 ? "," : "]";
    }
    text += random.Pick({"", ",", R"(,"y":1})"});
    const char* const end = text.data() + text.size();
    const char* fast_at = text.data() + kBehind;
    const char* slow_at = fast_at;
    const bool is_read = ReadNumbers(fast_at, end, fast);
    ASSERT_EQ(is_read, ReadNumbersOneByOne(slow_at, end, slow)) << text;
    if (!is_read) continue;
    ++read;
    ASSERT_EQ(fast_at, slow_at) << text;
    ASSERT_EQ(fast.size(), slow.size()) << text;
    for (std::size_t k = 0; k < fast.size(); ++k) ExpectSameBits(fast[k], slow[k]);
  }
  EXPECT_GT(read, 10'000);
}

TEST(CanonicalTest, TakesTheUsualShapes) {
  Event event;
  EXPECT_TRUE(ReadCanonicalLearn(R"({"type":"learn","x":[1],"y":1})", std::nullopt, event));
  ASSERT_TRUE(ReadCanonicalLearn(
      R"({"type":"learn","id":"e-1","subject":"u","x":[0.25,-0.123456,1.5e-3,12.75,9e-06],"y":0.5})",
      std::nullopt, event));
  EXPECT_EQ(event.x, (std::vector<double>{0.25, -0.123456, 1.5e-3, 12.75, 9e-6}));
  EXPECT_EQ(event.subject, "u");
  ASSERT_TRUE(
      ReadCanonicalLearn(R"({"type":"learn","id":"e-1","subject":"u","x":[1],"y":1})", "k", event));
  EXPECT_EQ(event.subject, "k");
  ASSERT_TRUE(ReadCanonicalLearn(R"({"type":"learn","x":[1],"y":"a cat","w":2.5})", {}, event));
  EXPECT_EQ(event.label, "a cat");
  EXPECT_EQ(event.w, 2.5);
  ASSERT_TRUE(ReadCanonicalLearn(R"({"type":"learn","x":[1],"y":1})", {}, event));
  EXPECT_FALSE(event.label);
  EXPECT_EQ(event.w, 1);
}

TEST(CanonicalTest, LeavesTheRestToTheGeneralWay) {
  Event event;
  for (const char* text : {"",
                           "{",
                           R"({"type":"learn","x":[],"y":1})",
                           R"({"type":"learn","x":[1],"y":1} )",
                           R"({"type":"learn","id":"","x":[1],"y":1})",
                           R"({"type":"learn","id":"a\n","x":[1],"y":1})",
                           R"({"type":"learn","id":"ü","x":[1],"y":1})",
                           R"({"type":"learn","x":[01.5],"y":1})",
                           R"({"type":"learn","x":[1.],"y":1})",
                           R"({"type":"learn","x":[.5],"y":1})",
                           R"({"type":"learn","x":[1.5.5],"y":1})",
                           R"({"type":"learn","x":[0x10],"y":1})",
                           R"({"type":"learn","x":[inf],"y":1})",
                           R"({"type":"learn","x":[1e],"y":1})",
                           R"({"type":"learn","x":[1],"y":1,"z":2})",
                           R"({"type":"learn","x":[1],"w":2,"y":1})",
                           R"({"type":"learn","x":[1],"y":1,"w":null})",
                           R"({"type":"learn","x":[1],"y":1,"w":"2"})",
                           R"({"type":"learn","x":[1],"y":""})",
                           R"({"type":"learn","x":[1],"y":"a\"})",
                           R"({"type":"learn","x":[1],"y":1,"w":2,"w":3})",
                           R"({"type":"delete","id":"e-1"})",
                           R"({"type":"learn","x":[1e999],"y":1})"}) {
    EXPECT_FALSE(ReadCanonicalLearn(text, std::nullopt, event)) << text;
  }
}

}  // namespace
}  // namespace lethe::canonical_test
