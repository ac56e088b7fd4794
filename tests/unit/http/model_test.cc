#include <gtest/gtest.h>
#include <simdjson.h>

#include "engine/base/json.h"
#include "engine/shard/model_json.h"
#include "http/model_document.h"
#include "tests/support/http_fixture.h"

namespace lethe::model_test {
namespace {

using testing::Get;
using testing::HttpReply;
using testing::RunningServer;
namespace dom = simdjson::dom;

TEST(HttpModel, IsUnavailableBeforeTheFirstCommit) {
  RunningServer server;
  const HttpReply reply = Get(server.url, "/v1/model");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.body, "{\"error\":\"no model has been committed yet\"}\n");
}

TEST(HttpModel, IsTheDocumentByteForByte) {
  RunningServer server;
  ShardReport report = testing::FullReport(0, Vector{{0.5, -0.1}}, 10);
  report.retention.clear();
  server.published.Show(report);
  const Digest name = server.hasher.Sha256("state-0 0 13\n");
  const std::string unsigned_document =
      R"({"format":"lethe.model/1","model_version":13,"clean_from":11,"model_id":")" +
      ToHex(name.data(), name.size()) +
      R"(","loss":"logistic","dimension":2,"weights":[0.5,-0.1],"intercept":0,"config":"c0ffee",)"
      R"("shards":[{"shard":0,"state":"state-0","model_version":13,"clean_from":11,"learned":11}])";
  const Digest digest = server.hasher.Sha256(unsigned_document);
  const HttpReply reply = Get(server.url, "/v1/model");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("cache-control"), "no-cache");
  EXPECT_EQ(reply.body,
            unsigned_document + ",\"sha256\":\"" + ToHex(digest.data(), digest.size()) + "\"}\n");
}

TEST(HttpModel, AveragesTheShardsByWhatTheyLearned) {
  PipelineInfo info = testing::DenseFacts();
  info.bias = true;
  RunningServer server(info);
  // 9 + 1 update and 29 + 1: a quarter and three quarters.
  ShardReport first = testing::FullReport(0, Vector{{1.0, 4.0, 8.0}}, 9);
  ShardReport second = testing::FullReport(1, Vector{{5.0, 0.0, 4.0}}, 29);
  first.retention.clear();
  second.retention.clear();
  server.published.Show(first);
  server.published.Show(second);
  dom::parser parser;
  const std::string body = Get(server.url, "/v1/model").body;
  const dom::element model = parser.parse(body);
  ASSERT_EQ(dom::array(model["weights"]).size(), 2U);
  EXPECT_EQ(double(model["weights"].at(0)), 4.0);
  EXPECT_EQ(double(model["weights"].at(1)), 1.0);
  EXPECT_EQ(double(model["intercept"]), 5.0);
  EXPECT_TRUE(model["model_version"].is_null());
  EXPECT_EQ(std::int64_t(model["shards"].at(1)["model_version"]), 32);
}

// Where events expire, a shard counts by what is in its window.
TEST(HttpModel, AveragesShardsWithAWindowByWhatTheyRetain) {
  RunningServer server(testing::DenseFacts());
  ShardReport first = testing::FullReport(0, Vector{{1.0, 4.0}}, 9);
  ShardReport second = testing::FullReport(1, Vector{{5.0, 0.0}}, 29);
  first.retained_events = 300;
  second.retained_events = 100;
  server.published.Show(first);
  server.published.Show(second);
  dom::parser parser;
  const std::string body = Get(server.url, "/v1/model").body;
  const dom::element model = parser.parse(body);
  EXPECT_EQ(double(model["weights"].at(0)), 2.0);
  EXPECT_EQ(double(model["weights"].at(1)), 3.0);
}

TEST(HttpModel, HashedModelsNameTheirFunction) {
  PipelineInfo info = testing::DenseFacts();
  info.hash_bits = 3;
  RunningServer server(info);
  server.published.Show(testing::FullReport(0, Vector::Ones(8), 10));
  const std::string body = Get(server.url, "/v1/model").body;
  EXPECT_NE(body.find(R"("dimension":8,"hash_bits":3,"hash":"fnv1a64-splitmix64")"),
            std::string::npos);
}

TEST(HttpModel, AnUnchangedModelIsNotSentAgain) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector{{0.5, -0.1}}, 10));
  const HttpReply first = Get(server.url, "/v1/model");
  const std::string etag = first.headers.at("etag");
  EXPECT_TRUE(etag.starts_with('"') && etag.size() == 83) << etag;

  for (const std::string& tags : {etag, "W/" + etag, "\"other\", " + etag, std::string("*")}) {
    const HttpReply again = Get(server.url, "/v1/model", {{"If-None-Match", tags}});
    EXPECT_EQ(again.status, 304) << tags;
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(again.headers.at("etag"), etag);
  }
  EXPECT_EQ(Get(server.url, "/v1/model", {{"If-None-Match", "\"other\""}}).status, 200);

  // The same content committed again has the same tag; another model has another one.
  server.published.Show(testing::FullReport(0, Vector{{0.5, -0.1}}, 10));
  EXPECT_EQ(Get(server.url, "/v1/model", {{"If-None-Match", etag}}).status, 304);
  server.published.Show(testing::FullReport(0, Vector{{0.5, -0.2}}, 11));
  const HttpReply changed = Get(server.url, "/v1/model", {{"If-None-Match", etag}});
  EXPECT_EQ(changed.status, 200);
  EXPECT_NE(changed.headers.at("etag"), etag);
}

TEST(HttpModel, ALargeModelArrivesWhole) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector::LinSpaced(200'000, -1, 1), 10));
  const HttpReply reply = Get(server.url, "/v1/model");
  ASSERT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-length"), std::to_string(reply.body.size()));
  dom::parser parser;
  EXPECT_FALSE(parser.parse(reply.body).error());
}

TEST(HttpModel, TagsAreReadFromALooselyWrittenList) {
  EXPECT_TRUE(NamesTag(" \"a\" ,\t\"b\"", "\"b\""));
  EXPECT_FALSE(NamesTag("", "\"b\""));
  EXPECT_FALSE(NamesTag("b", "\"b\""));
  EXPECT_FALSE(NamesTag(",,", "\"b\""));
}

}  // namespace
}  // namespace lethe::model_test
