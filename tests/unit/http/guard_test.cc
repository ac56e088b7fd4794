#include "http/guard.h"

#include <gtest/gtest.h>

#include "tests/support/http_fixture.h"

namespace lethe::guard_test {
namespace {

using testing::Fetch;
using testing::Get;
using testing::HttpReply;
using testing::RunningServer;

TEST(HttpGuard, AForeignHostIsRefusedOnLoopback) {
  RunningServer server;
  for (const char* host :
       {"evil.example", "evil.example:9464", "localhost.evil.example", "127.0.0.1.evil.example",
        "127.evil.example", "[::2]:1", "[::1]x", "", "0.0.0.0", "169.254.1.1"}) {
    EXPECT_EQ(Get(server.url, "/metrics", {{"Host", host}}).status, 403) << host;
    EXPECT_EQ(Get(server.url, "/-/ready", {{"Host", host}}).status, 403) << host;
  }
  for (const char* host :
       {"localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:9464"}) {
    EXPECT_EQ(Get(server.url, "/metrics", {{"Host", host}}).status, 200) << host;
  }
}

TEST(HttpGuard, AnyHostIsTakenWhenListeningWidely) {
  const SodiumHasher hasher;
  PublishedState published(testing::DenseFacts());
  PipelineMetrics metrics(published, "1");
  const auto server = HttpServer::Start(
      {.host = "0.0.0.0", .port = 0, .token = std::nullopt, .hasher = &hasher}, published, metrics);
  ASSERT_TRUE(server.ok()) << server.status().message();
  EXPECT_EQ(Get(server.value()->url(), "/metrics", {{"Host", "lethe.example"}}).status, 200);
}

TEST(HttpGuard, TheTokenOpensEverything) {
  RunningServer server(testing::DenseFacts(), "s3cret-token");
  const auto with = [&](const std::string& authorization, const char* path) {
    return Get(server.url, path, {{"Authorization", authorization}});
  };
  for (const char* path : {"/metrics", "/v1/status", "/v1/model", "/v1/receipts", "/unknown"}) {
    const HttpReply reply = Get(server.url, path);
    EXPECT_EQ(reply.status, 401) << path;
    EXPECT_EQ(reply.headers.at("www-authenticate"), "Bearer realm=\"lethe\"");
    EXPECT_EQ(reply.body.find("s3cret"), std::string::npos);
  }
  for (const char* wrong : {"Bearer", "Bearer ", "Bearer s3cret-toke", "Bearer s3cret-token2",
                            "Basic s3cret-token", "s3cret-token", "Bearer S3cret-token"}) {
    EXPECT_EQ(with(wrong, "/metrics").status, 401) << wrong;
  }
  EXPECT_EQ(with("Bearer s3cret-token", "/metrics").status, 200);
  EXPECT_EQ(with("bearer s3cret-token", "/v1/status").status, 200);
  EXPECT_EQ(with("Bearer s3cret-token", "/unknown").status, 404);
  EXPECT_EQ(Fetch(server.url, "POST", "/v1/predict", {}, "{}").status, 401);
}

TEST(HttpGuard, ProbesNeedNoToken) {
  RunningServer server(testing::DenseFacts(), "s3cret-token");
  EXPECT_EQ(Get(server.url, "/-/healthy").status, 200);
  EXPECT_EQ(Get(server.url, "/-/ready").status, 200);
}

TEST(HttpGuard, ThePageNeedsNoTokenAndSaysNothingOfTheData) {
  RunningServer server(testing::DenseFacts(), "s3cret-token");
  for (const char* path : {"/", "/web/app.css", "/web/app.js"}) {
    const HttpReply reply = Get(server.url, path);
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_EQ(reply.body.find("c0ffee"), std::string::npos) << path;
  }
}

TEST(HttpGuard, TokensAreComparedAsAWhole) {
  EXPECT_TRUE(EqualInConstantTime("abc", "abc"));
  EXPECT_TRUE(EqualInConstantTime("", ""));
  for (const char* other : {"", "a", "ab", "abd", "bbc", "abcabc", "abcd"}) {
    EXPECT_FALSE(EqualInConstantTime("abc", other)) << other;
    EXPECT_FALSE(EqualInConstantTime(other, "abc")) << other;
  }
}

}  // namespace
}  // namespace lethe::guard_test
