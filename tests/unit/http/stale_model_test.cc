// Which copies of a model have to go after a deletion, by the rule of docs/http.md, where a process
// has several shards: and that model, prediction and ETag name the model in the same way.

#include <map>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "engine/base/json.h"
#include "tests/support/http_fixture.h"

namespace lethe::stale_model_test {
namespace {

using testing::Get;
using testing::RunningServer;
namespace dom = simdjson::dom;

// The rule, literally.
bool IsStale(const std::string& copy, const std::string& now) {
  dom::parser of_now;
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> clean_from;
  for (const dom::element shard : dom::array(of_now.parse(now)["shards"])) {
    clean_from[{std::string(std::string_view(shard["state"])), std::int64_t(shard["shard"])}] =
        std::int64_t(shard["clean_from"]);
  }
  dom::parser of_copy;
  for (const dom::element shard : dom::array(of_copy.parse(copy)["shards"])) {
    const auto known = clean_from.find(
        {std::string(std::string_view(shard["state"])), std::int64_t(shard["shard"])});
    if (known == clean_from.end() || std::int64_t(shard["model_version"]) < known->second) {
      return true;
    }
  }
  return false;
}

class StaleModelTest : public ::testing::Test {
 protected:
  // Shard `shard` after so many steps and deletions, the last of which was effective at
  // `clean_from`.
  void Show(std::int64_t shard, std::int64_t version, std::int64_t clean_from,
            const std::string& state = "s") {
    ShardReport report = testing::FullReport(shard, Vector{{0.5, -0.1}}, version);
    report.state_id = state;
    report.model_version = {version};
    report.clean_from = {clean_from};
    server_.published.Show(std::move(report));
  }
  std::string Model() { return Get(server_.url, "/v1/model").body; }
  std::string Prediction() {
    return testing::Fetch(server_.url, "POST", "/v1/predict", {}, R"({"instances":[[1,2]]})").body;
  }

  RunningServer server_;
};

TEST_F(StaleModelTest, EveryCopyFromBeforeADeletionOnOneShardIsFound) {
  // Shard 0 learns on and on, so that sums over shards grow past whatever a deletion on shard 1
  // asks for: 100 + 1000 i + 50 is above 90 + 51.
  std::vector<std::string> copies;
  Show(1, 50, 0);
  for (int i = 0; i < 5; ++i) {
    Show(0, 100 + 1000 * i, 90);
    copies.push_back(Model());
    copies.push_back(Prediction());
    EXPECT_FALSE(IsStale(copies.back(), Model()));
  }
  Show(1, 51, 51);
  for (const std::string& copy : copies) EXPECT_TRUE(IsStale(copy, Model())) << copy;
  EXPECT_FALSE(IsStale(Model(), Model()));
  const std::string later = Model();
  Show(0, 9000, 90);
  EXPECT_FALSE(IsStale(later, Model()));
}

TEST_F(StaleModelTest, AnAverageHasNoNumberToCompareWrongly) {
  Show(0, 100, 90);
  dom::parser parser;
  EXPECT_EQ(std::int64_t(parser.parse(Model())["model_version"]), 100);
  EXPECT_EQ(std::int64_t(parser.parse(Prediction())["clean_from"]), 90);
  Show(1, 50, 0);
  for (const std::string& path : {Model(), Prediction()}) {
    const dom::element said = parser.parse(path);
    EXPECT_TRUE(said["model_version"].is_null()) << path;
    EXPECT_TRUE(said["clean_from"].is_null()) << path;
  }
}

TEST_F(StaleModelTest, ACopyOfAnotherStateIsStale) {
  Show(0, 5000, 0, "before");
  const std::string copy = Model();
  Show(0, 10, 3, "now");
  EXPECT_TRUE(IsStale(copy, Model()));
}

TEST_F(StaleModelTest, ModelPredictionStatusAndTagNameTheSameModel) {
  Show(0, 100, 90);
  Show(3, 50, 7);
  dom::parser of_model;
  dom::parser other;
  const std::string model = Model();
  const dom::element document = of_model.parse(model);
  const std::string id{document["model_id"].get_string().value()};
  const Digest digest = server_.hasher.Sha256("s 0 100\ns 3 50\n");
  EXPECT_EQ(id, ToHex(digest.data(), digest.size()));
  const std::string prediction = Prediction();
  EXPECT_EQ(std::string_view(other.parse(prediction)["model_id"]), id);
  EXPECT_EQ(simdjson::minify(other.parse(prediction)["shards"]),
            simdjson::minify(document["shards"].value()));
  const std::string status = Get(server_.url, "/v1/status").body;
  EXPECT_EQ(std::string_view(other.parse(status)["totals"]["model_id"]), id);
  for (const char* path : {"/v1/model", "/v1/model?format=onnx"}) {
    EXPECT_TRUE(Get(server_.url, path).headers.at("etag").starts_with("\"" + id + "-")) << path;
  }
  Show(3, 51, 7);
  EXPECT_NE(Prediction().find("\"model_id\":\""), std::string::npos);
  EXPECT_EQ(Prediction().find(id), std::string::npos);
}

}  // namespace
}  // namespace lethe::stale_model_test
