#include <gtest/gtest.h>

#include "tests/support/http_fixture.h"

// Heads of requests as RFC 9112 wants them: where a body ends and whom a request is for must not
// be a matter of opinion, or a proxy in front has another one.
namespace lethe::framing_test {
namespace {

using testing::HttpReply;
using testing::RunningServer;

std::string Exchange(const RunningServer& server, const std::string& request) {
  testing::RawConnection connection(server.url);
  EXPECT_TRUE(connection.Send(request));
  return connection.ReadAll();
}

HttpReply Reply(const RunningServer& server, const std::string& request) {
  return testing::ParseReply(Exchange(server, request));
}

std::size_t Answers(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find("HTTP/1.1 "); at != std::string::npos;
       at = text.find("HTTP/1.1 ", at + 1)) {
    ++count;
  }
  return count;
}

constexpr char kBody[] = R"({"instances":[[1,2]]})";  // 21 bytes

std::string Predict(const std::string& headers) {
  return "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n" + kBody;
}

TEST(HttpFraming, OneLengthInDigitsIsTaken) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector::Ones(2), 10));
  EXPECT_EQ(Reply(server, Predict("Content-Length: 21\r\nConnection: close\r\n")).status, 200);
}

TEST(HttpFraming, ALengthThatIsRepeatedListedOrSignedEndsTheConnection) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector::Ones(2), 10));
  for (const char* headers :
       {"Content-Length: 21\r\nContent-Length: 21\r\n",
        "Content-Length: 21\r\nContent-Length: 3\r\n", "Content-Length: 21, 21\r\n",
        "Content-Length: 21,3\r\n", "Content-Length: +21\r\n", "Content-Length: -21\r\n",
        "Content-Length: 0x15\r\n", "Content-Length: 21 3\r\n", "Content-Length: \r\n",
        "content-length: 21\r\nContent-Length: 21\r\n",
        "Content-Length: 21\r\nTransfer-Encoding: chunked\r\n"}) {
    // What follows must not be taken for a request.
    const std::string text =
        Exchange(server, Predict(headers) + "GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const HttpReply reply = testing::ParseReply(text);
    EXPECT_TRUE(reply.status == 400 || reply.status == 411) << headers << reply.status;
    EXPECT_EQ(reply.headers.at("connection"), "close") << headers;
    EXPECT_EQ(Answers(text), 1U) << headers << text;
  }
}

TEST(HttpFraming, OneHostIsNeeded) {
  RunningServer server;
  EXPECT_EQ(Reply(server, "GET /-/healthy HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(
      Reply(server, "GET /-/healthy HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n").status,
      400);
  EXPECT_EQ(Reply(server, "GET /-/healthy HTTP/1.1\r\nHost: localhost, evil\r\n\r\n").status, 400);
  EXPECT_EQ(Reply(server, "GET /-/healthy HTTP/1.0\r\n\r\n").status, 200) << "1.0 has none";
}

TEST(HttpFraming, TheHostOfAnAbsoluteUriIsTheOneThatCounts) {
  RunningServer server;
  const std::string authority = server.url.substr(std::string("http://").size());
  const auto get = [&](const std::string& uri, const std::string& host) {
    return Reply(server,
                 "GET " + uri + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  };
  EXPECT_EQ(get("http://" + authority + "/-/healthy", authority).status, 200);
  const std::string port = authority.substr(authority.rfind(':'));
  EXPECT_EQ(get("http://localhost" + port + "/-/healthy", "evil.example").status, 200);
  EXPECT_EQ(get("http://evil.example" + port + "/-/healthy", "localhost").status, 403);
  EXPECT_EQ(get("http://" + authority + "/v1/receipts?limit=1", authority).status, 200);
  EXPECT_EQ(get("http://" + authority + "/v1/model?format=x", authority).status, 400);
}

TEST(HttpFraming, AQuestionAboutTheServerIsAnswered) {
  RunningServer server;
  const HttpReply reply = Reply(server, "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-length"), "0");
  EXPECT_EQ(reply.headers.at("allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(reply.headers.at("connection"), "close");
  EXPECT_EQ(Reply(server, "OPTIONS * HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(testing::Get(server.url, "/-/healthy").status, 200);
}

TEST(HttpFraming, RequestsAreCounted) {
  RunningServer server;
  testing::Get(server.url, "/-/healthy");
  testing::Get(server.url, "/nowhere");
  Reply(server, "GET /-/healthy HTTP/1.1\r\n\r\n");
  const std::string text = testing::Get(server.url, "/metrics").body;
  for (const char* line : {"lethe_http_requests_total{handler=\"probe\",code=\"2xx\"} 1\n",
                           "lethe_http_requests_total{handler=\"other\",code=\"4xx\"} 2\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace lethe::framing_test
