#include <gtest/gtest.h>

#include "tests/support/http_fixture.h"

// POST /v1/forget.
namespace lethe::forget_test {
namespace {

using testing::Fetch;
using testing::HttpHeaders;
using testing::HttpReply;
using testing::RunningServer;

class FakeGateway final : public ErasureGateway {
 public:
  Result<std::string> Ask(const std::string& subject,
                          const std::optional<std::string>& reference) override {
    if (subject == "away") return Status(ErrorCode::kUnavailable, "no broker");
    asked.push_back(subject);
    return reference.value_or("http-1");
  }
  std::vector<std::string> Suggestions() const override { return {"ada"}; }

  std::vector<std::string> asked;
};

const HttpHeaders kJson = {{"Content-Type", "application/json"}};

TEST(HttpForget, IsOffUnlessThereIsAGateway) {
  RunningServer server;
  const HttpReply reply = Fetch(server.url, "POST", "/v1/forget", kJson, R"({"subject":"ada"})");
  EXPECT_EQ(reply.status, 404);
  EXPECT_NE(reply.body.find("http.token_file"), std::string::npos);
  EXPECT_NE(testing::Get(server.url, "/v1/status").body.find("\"forget\":null"), std::string::npos);
}

TEST(HttpForget, ARequestGoesToTheGatewayAndItsReferenceComesBack) {
  FakeGateway gateway;
  RunningServer server(testing::DenseFacts(), std::nullopt, {.forget = &gateway});
  HttpReply reply = Fetch(server.url, "POST", "/v1/forget", kJson, R"({"subject":"ada"})");
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(reply.body, "{\"request\":\"http-1\",\"receipts\":\"/v1/receipts\"}\n");
  reply = Fetch(server.url, "POST", "/v1/forget", {{"Content-Type", "application/json; x=y"}},
                R"({"subject":"Zoë","request":"rtbf-7"})");
  EXPECT_NE(reply.body.find("rtbf-7"), std::string::npos);
  EXPECT_EQ(gateway.asked, (std::vector<std::string>{"ada", "Zoë"}));
  EXPECT_NE(testing::Get(server.url, "/v1/status").body.find("\"suggestions\":[\"ada\"]"),
            std::string::npos);
}

TEST(HttpForget, WhatMakesNoSenseIsRefused) {
  FakeGateway gateway;
  RunningServer server(testing::DenseFacts(), std::nullopt, {.forget = &gateway});
  for (const std::string body :
       {"", "{", "[]", "{}", R"({"subject":""})", R"({"subject":7})", R"({"subject":null})",
        R"({"subject":"ada","request":""})", R"({"subject":"ada","request":7})"}) {
    EXPECT_EQ(Fetch(server.url, "POST", "/v1/forget", kJson, body).status, 400) << body;
  }
  const std::string longest(1025, 'x');
  EXPECT_EQ(
      Fetch(server.url, "POST", "/v1/forget", kJson, R"({"subject":")" + longest + "\"}").status,
      400);
  EXPECT_EQ(testing::Get(server.url, "/v1/forget").status, 405);
  EXPECT_TRUE(gateway.asked.empty());
}

TEST(HttpForget, AForeignPageCannotAsk) {
  FakeGateway gateway;
  RunningServer server(testing::DenseFacts(), std::nullopt, {.forget = &gateway});
  const std::string body = R"({"subject":"ada"})";
  EXPECT_EQ(Fetch(server.url, "POST", "/v1/forget", {}, body).status, 415);
  EXPECT_EQ(Fetch(server.url, "POST", "/v1/forget", {{"Content-Type", "text/plain"}}, body).status,
            415);
  HttpHeaders headers = kJson;
  headers["Origin"] = "http://evil.example";
  EXPECT_EQ(Fetch(server.url, "POST", "/v1/forget", headers, body).status, 403);
  headers["Origin"] = "null";
  EXPECT_EQ(Fetch(server.url, "POST", "/v1/forget", headers, body).status, 403);
  EXPECT_TRUE(gateway.asked.empty());
  headers["Host"] = "localhost:9464";
  headers["Origin"] = "http://localhost:9464";
  EXPECT_EQ(Fetch(server.url, "POST", "/v1/forget", headers, body).status, 202);
}

TEST(HttpForget, NeedsTheTokenWhereThereIsOne) {
  FakeGateway gateway;
  RunningServer server(testing::DenseFacts(), "s3cret", {.forget = &gateway});
  HttpHeaders headers = kJson;
  EXPECT_EQ(Fetch(server.url, "POST", "/v1/forget", headers, R"({"subject":"ada"})").status, 401);
  headers["Authorization"] = "Bearer s3cret";
  EXPECT_EQ(Fetch(server.url, "POST", "/v1/forget", headers, R"({"subject":"ada"})").status, 202);
}

TEST(HttpForget, ABrokerThatIsAwayIsSaid) {
  FakeGateway gateway;
  RunningServer server(testing::DenseFacts(), std::nullopt, {.forget = &gateway});
  const HttpReply reply = Fetch(server.url, "POST", "/v1/forget", kJson, R"({"subject":"away"})");
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("no broker"), std::string::npos);
}

}  // namespace
}  // namespace lethe::forget_test
