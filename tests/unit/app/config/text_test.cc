#include "app/config/text.h"

#include <limits>

#include <gtest/gtest.h>

namespace lethe::config::text_test {
namespace {

template <typename T>
std::string Problem(const Result<T>& result) {
  return result.ok() ? "ok" : result.status().message();
}

TEST(ConfigTextTest, NumbersThatAreNoneAreRefused) {
  for (const char* text : {"", " ", "abc", "1 ", " 1", "1,5", "1_000", "0x10", "1e", "--1", "+-1",
                           "1:30", ".", ".inf", ".nan", "1.0.0", "1e5e5", "١"}) {
    EXPECT_EQ(Problem(ParseNumber(text)), "is not a number") << text;
  }
}

TEST(ConfigTextTest, NumbersThatNoDoubleHoldsAreRefused) {
  for (const char* text : {"1e309", "-1e309", "1e-400", "4.9e-324", "1e-310", "-2e-308"}) {
    EXPECT_EQ(Problem(ParseNumber(text)), "is too large or too close to 0 for a double") << text;
  }
  for (const char* text : {"inf", "-inf", "nan", "INF", "NaN", "infinity"}) {
    EXPECT_EQ(Problem(ParseNumber(text)), "is not a finite number") << text;
  }
}

TEST(ConfigTextTest, NumbersAreRead) {
  EXPECT_EQ(ParseNumber("0").value(), 0.0);
  EXPECT_EQ(ParseNumber("+0.5").value(), 0.5);
  EXPECT_EQ(ParseNumber("-1.0e-6").value(), -1e-6);
  EXPECT_EQ(ParseNumber("1E3").value(), 1000.0);
}

TEST(ConfigTextTest, IntegersMustBeIntegers) {
  for (const char* text : {"", "1.0", "1e6", "1.5", "010", "00", "0x1", "1_000", "-", "+", "a"}) {
    EXPECT_EQ(Problem(ParseInteger(text)), "is not an integer") << text;
  }
  EXPECT_EQ(Problem(ParseInteger("9223372036854775808")), "is out of range");
  EXPECT_EQ(ParseInteger("9223372036854775807").value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(ParseInteger("-3").value(), -3);
  EXPECT_EQ(ParseInteger("+3").value(), 3);
}

TEST(ConfigTextTest, UnsignedIntegersHaveNoSign) {
  EXPECT_EQ(Problem(ParseUnsigned("-1")), "is out of range");
  EXPECT_EQ(Problem(ParseUnsigned("18446744073709551616")), "is out of range");
  EXPECT_EQ(ParseUnsigned("18446744073709551615").value(),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(ConfigTextTest, DurationsNeedAnIntegerAndAUnit) {
  for (const char* text : {"", "s", "abc", "-5s", "1.5s", "5 s", "5S", "5w", "5ss", "1h30m"}) {
    EXPECT_EQ(Problem(ParseDurationMs(text)), "is not a duration") << text;
  }
  EXPECT_EQ(Problem(ParseDurationMs("10")), "is a duration without a unit");
  EXPECT_EQ(Problem(ParseDurationMs("36501d")), "is longer than 100 years");
  EXPECT_EQ(Problem(ParseDurationMs("9223372036854775807d")), "is longer than 100 years");
  EXPECT_EQ(Problem(ParseDurationMs("99999999999999999999ms")), "is out of range");
}

TEST(ConfigTextTest, DurationsAreReadAndPrinted) {
  const std::pair<const char*, std::int64_t> cases[] = {{"0ms", 0},
                                                        {"100ms", 100},
                                                        {"1s", 1000},
                                                        {"10s", 10'000},
                                                        {"60s", 60'000},
                                                        {"90s", 90'000},
                                                        {"5m", 300'000},
                                                        {"1h", 3'600'000},
                                                        {"24h", 86'400'000},
                                                        {"8d", 691'200'000},
                                                        {"36500d", kLongestDurationMs}};
  for (const auto& [text, ms] : cases) {
    EXPECT_EQ(ParseDurationMs(text).value(), ms) << text;
    EXPECT_EQ(FormatDurationMs(ms), text);
  }
}

TEST(ConfigTextTest, PrintedNumbersReadBackExactly) {
  for (double value : {0.0, 1.0, 12.0, 0.01, 1e-6, 1e-10, 1e6, 1.0 / 3, -2.5e-300, 1e300,
                       std::numeric_limits<double>::max(), std::numeric_limits<double>::min()}) {
    EXPECT_EQ(ParseNumber(FormatNumber(value)).value(), value) << FormatNumber(value);
  }
}

// YAML 1.1 takes 1e-6 for a text: it wants a point in the mantissa.
TEST(ConfigTextTest, PrintedNumbersAreNumbersInYaml11) {
  EXPECT_EQ(FormatNumber(1e-6), "1.0e-6");
  EXPECT_EQ(FormatNumber(1.5e-10), "1.5e-10");
  EXPECT_EQ(FormatNumber(0.01), "0.01");
  EXPECT_EQ(FormatNumber(12), "12");
}

TEST(ConfigTextTest, QuotesEscapeWhatYamlAndJsonEscape) {
  EXPECT_EQ(Quote("a\"b\\c\nd\x01\x7f"), R"("a\"b\\c\u000ad\u0001\u007f")");
  EXPECT_EQ(Quote("ü"), "\"ü\"");
}

TEST(ConfigTextTest, MalformedUtf8IsFound) {
  for (const char* text : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80",
                           "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xff", "\xe2\x82", "\xc3("}) {
    std::size_t bad = 0;
    EXPECT_FALSE(IsUtf8(std::string("ab") + text, &bad));
    EXPECT_EQ(bad, 2u);
  }
  EXPECT_TRUE(IsUtf8("aü€😀"));
}

}  // namespace
}  // namespace lethe::config::text_test
