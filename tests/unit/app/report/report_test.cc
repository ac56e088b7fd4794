#include <gtest/gtest.h>

#include "app/replay/series.h"
#include "app/report/page.h"
#include "connectors/json/base64.h"
#include "connectors/system/sodium_hash.h"

namespace lethe::report_test {
namespace {

std::string Between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  return text.substr(at + begin.size(), text.find(end, at) - at - begin.size());
}

std::string Source(const std::string& text) {
  const Digest digest = SodiumHasher().Sha256(text);
  return "'sha256-" + ToBase64({reinterpret_cast<const char*>(digest.data()), digest.size()}) + "'";
}

TEST(Report, RunsItsOwnScriptAndStyleOnly) {
  const std::string page = ReportPage("A title", "{}");
  const std::string policy = Between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_TRUE(policy.starts_with("default-src 'none';")) << policy;
  EXPECT_NE(policy.find(Source(Between(page, "<script>", "</script>"))), std::string::npos);
  EXPECT_NE(policy.find(Source(Between(page, "<style>", "</style>"))), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(page.find("import "), std::string::npos);
}

TEST(Report, DataCannotLeaveItsPlace) {
  const std::string page =
      ReportPage("A title", R"({"why":"</script><script>alert(1)</script> {{script}} <!--"})");
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(Between(page, "id=\"data\">", "</script>"),
            R"({"why":"\u003c/script>\u003cscript>alert(1)\u003c/script> {{script}} \u003c!--"})");
}

TEST(Report, AShortSeriesIsWhole) {
  std::vector<SeriesRow> rows(2);
  rows[0].index = 10;
  rows[0].accuracy = 0.5;
  rows[1].index = 11;
  rows[1].accuracy = 0.75;
  rows[1].sigma = 2;
  rows[1].seconds = 0.25;
  EXPECT_EQ(SeriesJson(rows),
            R"({"index":[10,11],"mean_loss":[null,null],"accuracy":[0.5,0.75],)"
            R"("deletions":{"count":1,"index":[11],"sigma":[2],"seconds":[0.25]}})");
}

TEST(Report, ALongSeriesIsThinnedAndKeepsItsEnd) {
  std::vector<SeriesRow> rows(100'000);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].index = static_cast<std::int64_t>(i);
    rows[i].sigma = 1;
  }
  const std::string json = SeriesJson(rows);
  EXPECT_LT(json.size(), 40'000U);
  EXPECT_NE(json.find("\"count\":100000"), std::string::npos);
  EXPECT_NE(json.find(",99999],\"mean_loss\""), std::string::npos);
  EXPECT_NE(json.find(",99999],\"sigma\""), std::string::npos);
}

}  // namespace
}  // namespace lethe::report_test
