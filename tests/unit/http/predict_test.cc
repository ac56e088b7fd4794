#include "http/predict.h"

#include <cmath>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "http/handler.h"
#include "tests/support/http_fixture.h"

namespace lethe::predict_test {
namespace {

using testing::Fetch;
using testing::HttpReply;
using testing::RunningServer;
namespace dom = simdjson::dom;

class HttpPredict : public ::testing::Test {
 protected:
  HttpPredict() { server_.published.Show(testing::FullReport(0, Vector{{2.0, -0.5}}, 10)); }

  HttpReply Post(const std::string& body, testing::HttpHeaders headers = {}) {
    return Fetch(server_.url, "POST", "/v1/predict", std::move(headers), body);
  }

  RunningServer server_;
};

TEST_F(HttpPredict, ScoresEveryRow) {
  const HttpReply reply = Post(R"({"instances":[[1,2],[0.5,-4],[0,0]]})");
  ASSERT_EQ(reply.status, 200) << reply.body;
  dom::parser parser;
  const dom::element answer = parser.parse(reply.body);
  ASSERT_EQ(dom::array(answer["predictions"]).size(), 3U);
  EXPECT_EQ(double(answer["predictions"].at(0)), 1.0);
  EXPECT_EQ(double(answer["predictions"].at(1)), 3.0);
  EXPECT_EQ(double(answer["probabilities"].at(1)), 1 / (1 + std::exp(-3.0)));
  EXPECT_EQ(double(answer["probabilities"].at(2)), 0.5);
  EXPECT_EQ(std::int64_t(answer["model_version"]), 13);
}

TEST_F(HttpPredict, NoRowsGiveNoPredictions) {
  EXPECT_TRUE(Post(R"({"instances":[]})")
                  .body.starts_with(R"({"predictions":[],"probabilities":[],"model_version":13,)"));
}

TEST_F(HttpPredict, RegressionHasNoProbabilities) {
  PipelineInfo info = testing::DenseFacts();
  info.loss = "squared";
  info.bias = true;
  PublishedState published(info);
  published.Show(testing::FullReport(0, Vector{{2.0, -0.5, 0.25}}, 10));
  EXPECT_TRUE(Predict(published, server_.hasher, R"({"instances":[[1,2]]})")
                  .body->starts_with(R"({"predictions":[1.25],"model_version":13,)"));
}

TEST_F(HttpPredict, SoftmaxPredictsClassesWithAProbabilityOfEach) {
  PipelineInfo info = testing::DenseFacts();
  info.loss = "softmax";
  info.classes = 3;
  info.bias = true;
  // Feature by feature, and then the intercepts.
  const Vector weights{{1, 0, -1, 0, 2, 0, 0.5, 0, 0}};
  for (const bool has_names : {false, true}) {
    if (has_names) info.class_names = {"cat", "dog", "owl"};
    PublishedState published(info);
    published.Show(testing::FullReport(0, weights, 10));
    const HttpResponse response =
        Predict(published, server_.hasher, R"({"instances":[[1,0],[0,1],[-1,0],[0,0]]})");
    ASSERT_EQ(response.status, 200);
    EXPECT_TRUE(response.body->starts_with(
        has_names ? R"({"predictions":["cat","dog","owl","cat"],"probabilities":[[)"
                  : R"({"predictions":[0,1,2,0],"probabilities":[[)"))
        << *response.body;
    dom::parser parser;
    const dom::element answer = parser.parse(*response.body);
    ASSERT_EQ(dom::array(answer["probabilities"]).size(), 4U);
    const double total = std::exp(1.5) + 1 + std::exp(-1.0);  // of the first row
    EXPECT_NEAR(double(answer["probabilities"].at(0).at(0)), std::exp(1.5) / total, 1e-15);
    EXPECT_NEAR(double(answer["probabilities"].at(0).at(1)), 1 / total, 1e-15);
    EXPECT_NEAR(double(answer["probabilities"].at(0).at(2)), std::exp(-1.0) / total, 1e-15);
    EXPECT_EQ(Predict(published, server_.hasher, R"({"instances":[[1,0],[1]]})").status, 400);
    EXPECT_EQ(Predict(published, server_.hasher, R"({"instances":[[1,1.7e308]]})").status, 400);
  }
}

TEST_F(HttpPredict, ABadRowIsNamed) {
  const struct {
    const char* body;
    const char* error;
  } cases[] = {
      {R"({"instances":[[1,2],[1]]})", "instances[1]: 1 values; the model takes 2"},
      {R"({"instances":[[1,2,3]]})", "instances[0]: 3 values; the model takes 2"},
      {R"({"instances":[[1,2],[3,4],5]})", "instances[2]: not an array of numbers"},
      {R"({"instances":[[1,"2"]]})", "instances[0]: value 1 is not a number"},
      {R"({"instances":[[1,null]]})", "instances[0]: value 1 is not a number"},
      {R"({"instances":[[[1],2]]})", "instances[0]: value 0 is not a number"},
      {R"({"instances":[[1,2],[1.7e308,0]]})", "instances[1]: too large"},
  };
  for (const auto& [body, error] : cases) {
    const HttpReply reply = Post(body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_NE(reply.body.find(error), std::string::npos) << reply.body;
    EXPECT_NE(reply.body.find("\"row\":"), std::string::npos) << reply.body;
  }
}

TEST_F(HttpPredict, WhatIsNoSuchDocumentIsRefused) {
  for (const char* body : {"", "{", "[]", "[[1,2]]", "{}", R"({"instances":{}})", "null",
                           R"({"instances":[[1,2]]} x)", R"({"instances":[[1,1e999]]})",
                           "{\"instances\":[[1,\xff]]}", R"({"instances":[[1,NaN]]})"}) {
    const HttpReply reply = Post(body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_NE(reply.body.find("\"error\""), std::string::npos) << body;
  }
}

TEST_F(HttpPredict, DepthAndRowsAreBounded) {
  EXPECT_EQ(Post(std::string(100'000, '[') + std::string(100'000, ']')).status, 400);
  std::string rows = R"({"instances":[[1,2])";
  for (std::size_t i = 0; i < kMaxPredictRows - 1; ++i) rows += ",[1,2]";
  EXPECT_EQ(Post(rows + "]}").status, 200);
  const HttpReply reply = Post(rows + ",[1,2]]}");
  EXPECT_EQ(reply.status, 400);
  EXPECT_NE(reply.body.find("10000 instances"), std::string::npos);
}

TEST_F(HttpPredict, AMebibyteIsTheLimit) {
  const std::string document = R"({"instances":[[1,2]]})";
  const std::string largest = document + std::string(kMaxBodyBytes - document.size(), ' ');
  EXPECT_EQ(Post(largest).status, 200);
  const HttpReply reply = Post(largest + " ");
  EXPECT_EQ(reply.status, 413);
  EXPECT_NE(reply.body.find("1048576"), std::string::npos);
}

TEST_F(HttpPredict, ChunkedBodiesAreBoundedToo) {
  const auto chunk = [](const std::string& data) {
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", data.size());
    return size + data + "\r\n";
  };
  const std::string head =
      "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  testing::RawConnection good(server_.url);
  ASSERT_TRUE(good.Send(head + chunk("{\"instances\":") + chunk("[[1,2]]}") + "0\r\n\r\n"));
  EXPECT_EQ(testing::ParseReply(good.ReadAll()).status, 200);
  testing::RawConnection large(server_.url);
  const std::string blanks = chunk(std::string(kMaxBodyBytes / 2 + 1, ' '));
  (void)large.Send(head + blanks + blanks + "0\r\n\r\n");
  EXPECT_EQ(testing::ParseReply(large.ReadAll()).status, 413);
}

TEST_F(HttpPredict, ABodyNeedsALengthAndHasToBeWhole) {
  testing::RawConnection none(server_.url);
  ASSERT_TRUE(none.Send("POST /v1/predict HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_EQ(testing::ParseReply(none.ReadAll()).status, 411);
  const HttpReply cut = Post("{", {{"Content-Length", "100"}});
  EXPECT_EQ(cut.status, 400);
}

TEST_F(HttpPredict, AClientThatWaitsIsToldToContinue) {
  testing::RawConnection waiting(server_.url);
  ASSERT_TRUE(
      waiting.Send("POST /v1/predict HTTP/1.1\r\nHost: localhost\r\n"
                   "Content-Length: 21\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_EQ(waiting.ReadAll(std::chrono::milliseconds(500)), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(waiting.Send(R"({"instances":[[1,2]]})"));
  EXPECT_EQ(testing::ParseReply(waiting.ReadAll()).status, 200);
}

TEST_F(HttpPredict, HashedModelsExplainThemselves) {
  PipelineInfo info = testing::DenseFacts();
  info.hash_bits = 3;
  const HttpResponse response =
      Predict(PublishedState(info), server_.hasher, R"({"instances":[[1,2]]})");
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body->find("docs/formats/hashing.md"), std::string::npos);
}

TEST_F(HttpPredict, IsUnavailableBeforeTheFirstCommit) {
  const PublishedState published(testing::DenseFacts());
  EXPECT_EQ(Predict(published, server_.hasher, R"({"instances":[[1,2]]})").status, 503);
}

}  // namespace
}  // namespace lethe::predict_test
