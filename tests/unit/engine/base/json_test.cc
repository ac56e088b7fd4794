// The bytes that receipts and certificates are made of.

#include "engine/base/json.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/proof_random.h"

namespace lethe::json_test {
namespace {

std::string Text(std::string_view value) { return JsonWriter().Value(value).text(); }

TEST(JsonWriterTest, NumbersThatJsonCannotSayBecomeNull) {
  for (const double number : {std::nan(""), std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(JsonWriter().Value(number).text(), "null");
  }
}

TEST(JsonWriterTest, ControlCharactersQuotesAndBackslashesAreEscaped) {
  EXPECT_EQ(Text("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(Text(std::string("\0\x01\n\t\x1f", 5)), R"("\u0000\u0001\u000a\u0009\u001f")");
  EXPECT_EQ(Text("/\x7f"), "\"/\x7f\"");
}

TEST(JsonWriterTest, TextBeyondAsciiIsLeftAsItIs) {
  EXPECT_EQ(Text("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

TEST(JsonWriterTest, KeysAreEscapedToo) {
  EXPECT_EQ(JsonWriter().BeginObject().Field("a\"", true).EndObject().text(), R"({"a\"":true})");
}

TEST(JsonWriterTest, CommasStandBetweenAndNowhereElse) {
  JsonWriter json;
  json.BeginObject();
  json.Key("empty").BeginObject().EndObject();
  json.Key("none").BeginArray().EndArray();
  json.Key("list").BeginArray().Value("a").Value(std::int64_t{-7}).Null();
  json.BeginObject().Field("x", 0.5).Field("y", false).EndObject();
  json.BeginArray().Value(true).EndArray().EndArray();
  json.Key("raw").Raw("[1]").Field("last", "z").EndObject();
  EXPECT_EQ(json.text(), R"({"empty":{},"none":[],"list":["a",-7,null,{"x":0.5,"y":false},[true]],)"
                         R"("raw":[1],"last":"z"})");
}

TEST(JsonWriterTest, NumbersAreTheShortestThatReadBack) {
  EXPECT_EQ(ToText(0.1), "0.1");
  EXPECT_EQ(ToText(1), "1");
  EXPECT_EQ(ToText(-0.0), "-0");
  EXPECT_EQ(ToText(1e-6), "1e-06");
  EXPECT_EQ(ToText(1e300), "1e+300");
  EXPECT_EQ(JsonWriter().Value(std::numeric_limits<std::int64_t>::min()).text(),
            "-9223372036854775808");
}

TEST(JsonWriterTest, EveryDoubleReadsBackAsItself) {
  proof::Dice dice(22);
  for (int i = 0; i < 100'000; ++i) {
    const double number = dice.LogUniform(1e-300, 1e300) * (dice.Chance(0.5) ? 1 : -1);
    const std::string text = ToText(number);
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), number) << text;
    ASSERT_LE(text.size(), 24u);
  }
  for (const double number : {std::numeric_limits<double>::denorm_min(),
                              std::numeric_limits<double>::max(), 5e-324, 0.1 + 0.2}) {
    EXPECT_EQ(std::strtod(ToText(number).c_str(), nullptr), number);
  }
}

TEST(JsonWriterTest, HexIsLowerCaseAndKeepsLeadingZeros) {
  const std::uint8_t bytes[] = {0x00, 0x0f, 0xa0, 0xff};
  EXPECT_EQ(ToHex(bytes, 4), "000fa0ff");
  EXPECT_EQ(ToHex(bytes, 0), "");
}

}  // namespace
}  // namespace lethe::json_test
