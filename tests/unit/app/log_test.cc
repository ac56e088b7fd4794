#include "app/log.h"

#include <gtest/gtest.h>
#include <simdjson.h>

namespace lethe::app_log_test {
namespace {

constexpr char kTime[] = "2026-01-02T03:04:05.678Z";

TEST(LogTest, LogfmtQuotesWhatNeedsIt) {
  EXPECT_EQ(LogLine(LogFormat::kLogfmt, kTime, LogLevel::kInfo, "ready",
                    {{"topic", "events"}, {"why", "a \"b\" = c\nd"}, {"empty", ""}}),
            "time=2026-01-02T03:04:05.678Z level=info msg=ready topic=events "
            "why=\"a \\\"b\\\" = c\\nd\" empty=\"\"");
}

TEST(LogTest, JsonIsOneObjectOnOneLineWhateverIsSaid) {
  const std::string awkward = "a \"b\"\\ \n\t\x01 \xc3\xa9";
  const std::string line =
      LogLine(LogFormat::kJson, kTime, LogLevel::kWarning, awkward, {{"from", awkward}});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  simdjson::dom::parser parser;
  const simdjson::dom::element object = parser.parse(line);
  EXPECT_EQ(std::string_view(object["time"]), kTime);
  EXPECT_EQ(std::string_view(object["level"]), "warning");
  EXPECT_EQ(std::string_view(object["msg"]), awkward);
  EXPECT_EQ(std::string_view(object["from"]), awkward);
}

}  // namespace
}  // namespace lethe::app_log_test
