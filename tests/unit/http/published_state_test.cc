#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/support/http_fixture.h"

// What the endpoints say about the published.
namespace lethe::published_state_test {
namespace {

using testing::Get;
using testing::HttpReply;
using testing::RunningServer;
namespace dom = simdjson::dom;

TEST(HttpPublishedState, ReadyNamesEveryReasonUntilItIsTakenBack) {
  RunningServer server;
  server.published.SetNotReady("state", "the state is being opened");
  server.published.SetNotReady("broker", "the broker \"b\" is not reachable");
  HttpReply reply = Get(server.url, "/-/ready");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.body,
            "{\"status\":\"not ready\",\"reasons\":[\"the broker \\\"b\\\" is not reachable\","
            "\"the state is being opened\"]}\n");
  server.published.SetReady("broker");
  server.published.SetReady("never set");
  server.published.SetReady("state");
  reply = Get(server.url, "/-/ready");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "{\"status\":\"ready\"}\n");
}

TEST(HttpPublishedState, AStoppedShardIsUnhealthyAndNotReady) {
  RunningServer server;
  EXPECT_EQ(Get(server.url, "/-/healthy").body, "{\"status\":\"healthy\"}\n");
  server.published.SetUnhealthy("shard 2 stopped: no space left");
  server.published.SetUnhealthy("a later one");
  const HttpReply reply = Get(server.url, "/-/healthy");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.body,
            "{\"status\":\"unhealthy\",\"reasons\":[\"shard 2 stopped: no space left\"]}\n");
  EXPECT_EQ(Get(server.url, "/-/ready").status, 503);
}

TEST(HttpPublishedState, AStoppingProcessIsHealthyAndNotReady) {
  RunningServer server;
  server.published.SetStopping();
  EXPECT_EQ(Get(server.url, "/-/healthy").status, 200);
  const HttpReply reply = Get(server.url, "/-/ready");
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("stopping"), std::string::npos);
}

TEST(HttpPublishedState, StatusAddsUpTheShards) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector::Ones(2), 10));
  server.published.Show(testing::FullReport(3, Vector::Ones(2), 20));
  server.metrics.shard({0}).SetLag(1'000'000);
  server.metrics.shard({3}).SetLag(5);
  server.metrics.SetBrokers({2, 1'700'000'000.25});
  const HttpReply reply = Get(server.url, "/v1/status");
  ASSERT_EQ(reply.status, 200);
  dom::parser parser;
  const dom::element status = parser.parse(reply.body);
  EXPECT_EQ(std::string_view(status["format"]), "lethe.status/1");
  EXPECT_EQ(std::string_view(status["version"]), "1.2.3");
  EXPECT_GE(double(status["uptime_seconds"]), 0.0);
  EXPECT_TRUE(bool(status["ready"]));
  EXPECT_EQ(std::string_view(status["pipeline"]["mode"]), "passive");
  EXPECT_EQ(double(status["pipeline"]["promise"]["mu"]), 0.25);
  EXPECT_EQ(double(status["pipeline"]["promise"]["shard_mu"]), 0.125);
  EXPECT_EQ(std::int64_t(status["pipeline"]["promise"]["shards"]), 4);
  EXPECT_EQ(std::int64_t(status["totals"]["learned"]), 30);
  EXPECT_EQ(std::int64_t(status["totals"]["rejected"]["malformed"]), 12);
  EXPECT_EQ(std::int64_t(status["totals"]["outcomes"]["forgotten"]), 4);
  EXPECT_EQ(std::int64_t(status["totals"]["pending_requests"]), 2);
  EXPECT_EQ(std::int64_t(status["totals"]["lag_records"]), 1'000'005);
  EXPECT_EQ(std::int64_t(status["kafka"]["connected_brokers"]), 2);
  EXPECT_EQ(std::int64_t(status["kafka"]["last_contact_ms"]), 1'700'000'000'250);
  ASSERT_EQ(dom::array(status["shards"]).size(), 2U);
  EXPECT_EQ(std::int64_t(status["shards"].at(0)["lag_records"]), 1'000'000);
  EXPECT_EQ(std::int64_t(status["shards"].at(1)["shard"]), 3);
}

TEST(HttpPublishedState, ALagThatIsNotKnownAnyMoreIsNullAndSoIsTheTotal) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector::Ones(2), 10));
  server.published.Show(testing::FullReport(3, Vector::Ones(2), 20));
  server.metrics.shard({0}).SetLag(7);
  server.metrics.shard({3}).SetLag(0);
  server.metrics.shard({3}).SetLag(std::nullopt);
  dom::parser parser;
  const std::string body = Get(server.url, "/v1/status").body;
  const dom::element status = parser.parse(body);
  EXPECT_TRUE(status["totals"]["lag_records"].is_null());
  EXPECT_EQ(std::int64_t(status["shards"].at(0)["lag_records"]), 7);
  EXPECT_TRUE(status["shards"].at(1)["lag_records"].is_null());
  EXPECT_TRUE(status["kafka"]["connected_brokers"].is_null());
  EXPECT_TRUE(status["kafka"]["last_contact_ms"].is_null());
}

TEST(HttpPublishedState, NothingIsPromisedWithoutACertificate) {
  PipelineInfo info = testing::DenseFacts();
  info.certified = false;
  RunningServer server(info);
  dom::parser parser;
  const std::string body = Get(server.url, "/v1/status").body;
  EXPECT_TRUE(parser.parse(body)["pipeline"]["promise"].is_null());
}

TEST(HttpPublishedState, ShardsAreShownInFull) {
  RunningServer server;
  server.published.Show(testing::FullReport(7, Vector::Ones(2), 10));
  server.metrics.shard({7}).SetQueue(12);
  server.metrics.shard({7}).SetCommitTime(1.7e9);
  const HttpReply reply = Get(server.url, "/v1/shards");
  ASSERT_EQ(reply.status, 200);
  dom::parser parser;
  const dom::element shard = parser.parse(reply.body)["shards"].at(0);
  EXPECT_EQ(std::int64_t(shard["shard"]), 7);
  EXPECT_EQ(std::string_view(shard["state"]), "state-7");
  EXPECT_EQ(std::int64_t(shard["next_offset"]), 30);
  EXPECT_EQ(std::int64_t(shard["model_version"]), 13);
  EXPECT_EQ(std::int64_t(shard["clean_from"]), 11);
  EXPECT_EQ(std::int64_t(shard["chain"]["entries"]), 9);
  EXPECT_EQ(std::string_view(shard["chain"]["head"]), "abcd");
  EXPECT_EQ(std::int64_t(shard["oldest_pending_ms"]), 1'700'000'000'500);
  EXPECT_EQ(std::int64_t(shard["queue_records"]), 12);
  EXPECT_EQ(double(shard["commit_timestamp_seconds"]), 1.7e9);
  EXPECT_TRUE(shard["weights"].error());
}

TEST(HttpPublishedState, ALossThatIsNotToldIsNull) {
  RunningServer server;
  ShardReport report = testing::FullReport(7, Vector::Ones(2), 10);
  report.loss_total.reset();
  report.loss_events.reset();
  server.published.Show(report);
  dom::parser parser;
  const std::string body = Get(server.url, "/v1/shards").body;
  EXPECT_TRUE(parser.parse(body)["shards"].at(0)["loss_total"].is_null());
  EXPECT_TRUE(parser.parse(body)["shards"].at(0)["loss_events"].is_null());
}

TEST(HttpPublishedState, AReportReplacesTheOneBefore) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector::Ones(2), 10));
  server.published.Show(testing::FullReport(0, Vector::Ones(2), 11));
  ASSERT_EQ(server.published.reports().size(), 1U);
  EXPECT_EQ(server.published.reports().front()->counters.learned, 11);
}

}  // namespace
}  // namespace lethe::published_state_test
