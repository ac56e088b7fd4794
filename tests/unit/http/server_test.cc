#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/http_fixture.h"

namespace lethe::server_test {
namespace {

using testing::Fetch;
using testing::Get;
using testing::HttpReply;
using testing::RunningServer;

HttpServer::Options OptionsFor(const Hasher& hasher, const std::string& host, int port) {
  return {.host = host, .port = port, .token = std::nullopt, .hasher = &hasher};
}

TEST(HttpServer, EveryResponseCarriesTheSecurityHeaders) {
  RunningServer server;
  for (const char* path : {"/", "/metrics", "/-/healthy", "/-/ready", "/v1/status", "/v1/shards",
                           "/v1/model", "/v1/predict", "/nowhere"}) {
    const HttpReply reply = Get(server.url, path);
    ASSERT_NE(reply.status, 0) << path;
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff") << path;
    EXPECT_NE(reply.headers.at("content-security-policy").find("default-src 'none'"),
              std::string::npos);
    EXPECT_EQ(reply.headers.at("cache-control"), "no-store") << path;
    EXPECT_EQ(reply.headers.at("connection"), "close") << path;
    EXPECT_EQ(reply.headers.at("content-length"), std::to_string(reply.body.size())) << path;
  }
}

// Reads replies that stand one behind the other.
std::vector<HttpReply> Replies(const std::string& text) {
  std::vector<HttpReply> replies;
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t next = text.find("HTTP/1.1 ", at + 1);
    replies.push_back(testing::ParseReply(text.substr(at, next - at)));
    at = next;
  }
  return replies;
}

TEST(HttpServer, AConnectionBringsSeveralRequests) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector::Ones(2), 10));
  const std::string body = R"({"instances":[[1,2]]})";
  const std::string predict = "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                              std::to_string(body.size()) + "\r\n\r\n" + body;
  const std::string get = "GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n";
  testing::RawConnection connection(server.url);
  ASSERT_TRUE(
      connection.Send(get + "\r\n" + predict + predict + get + "Connection: close\r\n\r\n"));
  const auto replies = Replies(connection.ReadAll());
  ASSERT_EQ(replies.size(), 4U);
  for (const HttpReply& reply : replies) EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(replies[1].body, replies[2].body);
  EXPECT_EQ(replies[2].headers.at("connection"), "keep-alive");
  EXPECT_EQ(replies[3].headers.at("connection"), "close");
}

TEST(HttpServer, GarbageAfterARequestIsAnsweredAndEndsTheConnection) {
  RunningServer server;
  for (const std::string& garbage :
       {std::string("\0\xff\x80 garbage\r\n\r\n", 15), std::string(3000, 'x') + "\r\n\r\n"}) {
    testing::RawConnection connection(server.url);
    ASSERT_TRUE(connection.Send("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n" + garbage));
    const auto replies = Replies(connection.ReadAll());
    ASSERT_EQ(replies.size(), 2U);
    EXPECT_EQ(replies[0].status, 200);
    EXPECT_EQ(replies[1].status, 400);
    EXPECT_EQ(replies[1].headers.at("connection"), "close");
    EXPECT_TRUE(replies[1].body.starts_with("{\"error\":")) << replies[1].body;
  }
}

TEST(HttpServer, ARefusalEndsTheConnection) {
  RunningServer server;
  testing::RawConnection connection(server.url);
  const std::string missing = "GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n";
  ASSERT_TRUE(connection.Send(missing + missing));
  EXPECT_EQ(Replies(connection.ReadAll()).size(), 1U);
}

TEST(HttpServer, ConnectionsThatAreKeptLeaveRoomForOthers) {
  RunningServer server;
  std::vector<std::unique_ptr<testing::RawConnection>> kept;
  const std::string get = "GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n";
  int closed = 0;
  // More than are kept, and again when all of those have gone.
  for (int round = 0; round < 2; ++round) {
    kept.clear();
    for (int i = 0; i < 100; ++i) {
      kept.push_back(std::make_unique<testing::RawConnection>(server.url));
      ASSERT_TRUE(kept.back()->Send(get));
    }
    int open = 0;
    for (const auto& connection : kept) {
      const HttpReply reply = testing::ParseReply(connection->ReadAll());
      ASSERT_EQ(reply.status, 200);
      (reply.headers.at("connection") == "close" ? closed : open) += 1;
    }
    EXPECT_GT(open, 0);
  }
  EXPECT_GT(closed, 0);
}

TEST(HttpServer, HeadIsGetWithoutTheBody) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector::Ones(2), 10));
  for (const char* path : {"/", "/-/ready", "/v1/shards", "/v1/model"}) {
    const HttpReply get = Get(server.url, path);
    const HttpReply head = Fetch(server.url, "HEAD", path);
    EXPECT_EQ(head.status, get.status) << path;
    EXPECT_EQ(head.headers, get.headers) << path;
    EXPECT_EQ(head.body, "") << path;
    EXPECT_NE(get.body, "") << path;
  }
}

TEST(HttpServer, UnknownPathListsTheKnownOnes) {
  RunningServer server;
  const HttpReply reply = Get(server.url, "/v2/model");
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
  EXPECT_NE(reply.body.find("\"/v1/model\""), std::string::npos);
}

TEST(HttpServer, WrongMethodNamesTheRightOne) {
  RunningServer server;
  const HttpReply post = Fetch(server.url, "POST", "/metrics", {}, "x");
  EXPECT_EQ(post.status, 405);
  EXPECT_EQ(post.headers.at("allow"), "GET, HEAD");
  for (const char* method : {"GET", "HEAD", "DELETE", "OPTIONS", "PUT"}) {
    const HttpReply reply = Fetch(server.url, method, "/v1/predict");
    EXPECT_EQ(reply.status, 405) << method;
    EXPECT_EQ(reply.headers.at("allow"), "POST") << method;
  }
}

TEST(HttpServer, IndexIsAPageThatNamesEveryPath) {
  RunningServer server;
  const HttpReply reply = Get(server.url, "/");
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.headers.at("content-type").starts_with("text/html"));
  for (const char* path : {"/metrics", "/-/ready", "/v1/status", "/v1/predict"}) {
    EXPECT_NE(reply.body.find(path), std::string::npos) << path;
  }
}

TEST(HttpServer, WhatIsNoRequestIsRefusedAsJson) {
  RunningServer server;
  for (const char* text :
       {"nonsense\r\n\r\n", "GET\r\n\r\n", "FROBNICATE / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET ftp://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /%00%ff%2e%2e/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n"}) {
    testing::RawConnection connection(server.url);
    ASSERT_TRUE(connection.Send(text));
    const HttpReply reply = testing::ParseReply(connection.ReadAll());
    EXPECT_GE(reply.status, 400) << text;
    EXPECT_LT(reply.status, 500) << text;
    EXPECT_EQ(reply.headers.count("content-security-policy"), 1U) << text;
    EXPECT_NE(reply.body.find("\"error\""), std::string::npos) << text;
  }
  EXPECT_EQ(Get(server.url, "/-/healthy").status, 200);
}

TEST(HttpServer, HeadersAreBounded) {
  RunningServer server;
  const HttpReply reply = Get(server.url, "/", {{"X-Long", std::string(100'000, 'x')}});
  // The connection may be reset before the refusal is read.
  EXPECT_TRUE(reply.status == 0 || reply.status >= 400) << reply.status;
  EXPECT_EQ(Get(server.url, "/-/healthy").status, 200);
}

TEST(HttpServer, TakenPortIsSaidClearly) {
  RunningServer server;
  const int port = std::stoi(server.url.substr(server.url.rfind(':') + 1));
  const auto second = HttpServer::Start(OptionsFor(server.hasher, "127.0.0.1", port),
                                        server.published, server.metrics);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), ErrorCode::kUnavailable);
  EXPECT_NE(second.status().message().find("another process listens there"), std::string::npos)
      << second.status().message();
}

TEST(HttpServer, OptionsThatMakeNoSenseAreConfigErrors) {
  const SodiumHasher hasher;
  PublishedState published(testing::DenseFacts());
  PipelineMetrics metrics(published, "1");
  HttpServer::Options options = OptionsFor(hasher, "127.0.0.1", 0);
  options.token = "";
  EXPECT_EQ(HttpServer::Start(options, published, metrics).status().code(), ErrorCode::kConfig);
  for (const char* host : {"", "192.0.2.1", "127.0.0.1,0.0.0.0", "no such host"}) {
    const auto started = HttpServer::Start(OptionsFor(hasher, host, 0), published, metrics);
    ASSERT_FALSE(started.ok()) << host;
    EXPECT_EQ(started.status().code(), ErrorCode::kConfig) << started.status().message();
  }
}

TEST(HttpServer, Ipv6WorksOrIsRefusedClearly) {
  const SodiumHasher hasher;
  PublishedState published(testing::DenseFacts());
  PipelineMetrics metrics(published, "1");
  for (const char* host : {"::1", "[::1]"}) {
    const auto started = HttpServer::Start(OptionsFor(hasher, host, 0), published, metrics);
    if (started.ok()) {
      EXPECT_TRUE(started.value()->url().starts_with("http://[::1]:"));
    } else {
      EXPECT_EQ(started.status().code(), ErrorCode::kConfig);
      EXPECT_NE(started.status().message().find("IPv4"), std::string::npos)
          << started.status().message();
    }
  }
}

TEST(HttpServer, LocalhostIsUnderstood) {
  const SodiumHasher hasher;
  PublishedState published(testing::DenseFacts());
  PipelineMetrics metrics(published, "1");
  const auto started = HttpServer::Start(OptionsFor(hasher, "localhost", 0), published, metrics);
  ASSERT_TRUE(started.ok()) << started.status().message();
  EXPECT_TRUE(started.value()->url().starts_with("http://localhost:"));
  EXPECT_EQ(Get(started.value()->url(), "/-/healthy").status, 200);
}

TEST(HttpServer, StopsPromptlyWithConnectionsOpen) {
  auto server = std::make_unique<RunningServer>();
  testing::RawConnection idle(server->url);
  ASSERT_TRUE(idle.Send("GET / HT"));
  const auto before = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
}

TEST(HttpServer, SlowClientsDoNotBlockOthers) {
  RunningServer server;
  server.published.Show(testing::FullReport(0, Vector::Ones(2), 10));
  std::vector<std::unique_ptr<testing::RawConnection>> slow;
  // Half a header, and bodies that never come.
  for (int i = 0; i < 10; ++i) {
    slow.push_back(std::make_unique<testing::RawConnection>(server.url));
    ASSERT_TRUE(slow.back()->Send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Sl"));
  }
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<testing::RawConnection>(server.url));
    ASSERT_TRUE(slow.back()->Send(
        "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{\"in"));
  }
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(Get(server.url, "/metrics").status, 200);
  EXPECT_EQ(Get(server.url, "/-/ready").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(1500));
}

TEST(HttpServer, ClientsThatDoNotReadTakeTheLargePlacesOnly) {
  RunningServer server;
  // More than the buffers of a connection hold.
  server.published.Show(testing::FullReport(0, Vector::LinSpaced(1'000'000, -1, 1), 10));
  std::vector<std::unique_ptr<testing::RawConnection>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<testing::RawConnection>(server.url));
    ASSERT_TRUE(slow.back()->Send("GET /v1/model HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  }
  // The server may take them in any order. Once it has all, the next client is turned away; until
  // then Get reads the whole model, and its place is free again.
  HttpReply refused = Get(server.url, "/v1/model");
  for (int tries = 0; refused.status == 200 && tries < 100; ++tries) {
    refused = Get(server.url, "/v1/model");
  }
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(Get(server.url, "/metrics").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(1500));
}

TEST(HttpServer, MoreSlowClientsThanThreadsDelayOthersForSecondsOnly) {
  RunningServer server;
  std::vector<std::unique_ptr<testing::RawConnection>> slow;
  for (int i = 0; i < 400; ++i) {
    slow.push_back(std::make_unique<testing::RawConnection>(server.url));
    ASSERT_TRUE(slow.back()->Send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Sl"));
  }
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(Get(server.url, "/metrics").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(15));
}

TEST(HttpServer, ADrippingHeaderIsCutOff) {
  RunningServer server;
  testing::RawConnection slow(server.url);
  ASSERT_TRUE(slow.Send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Slow: "));
  const auto before = std::chrono::steady_clock::now();
  while (slow.Send("x") && std::chrono::steady_clock::now() - before < std::chrono::seconds(20)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(15));
}

TEST(HttpServer, ReadersAndCommitsDoNotDisturbOneAnother) {
  RunningServer server;
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    PipelineMetrics::ShardMetrics& live = server.metrics.shard({0});
    for (std::int64_t n = 10; !stop; ++n) {
      server.published.Show(testing::FullReport(0, Vector::Constant(2, static_cast<double>(n)), n));
      live.SetLag(n);
      live.ObserveCommit(n % 2 == 0, 0.001);
      live.AddDeadLetter(Reason::kMalformed);
      live.SetStateBytes("events", n);
      if (n % 100 == 0) server.published.SetNotReady("test", "busy");
      if (n % 100 == 50) server.published.SetReady("test");
    }
  });
  std::vector<std::thread> readers;
  std::atomic<int> bad = 0;
  while (Get(server.url, "/v1/model").status == 503) {
  }
  for (const char* path : {"/metrics", "/v1/model", "/v1/status", "/v1/shards"}) {
    readers.emplace_back([&, path] {
      for (int i = 0; i < 50; ++i) bad += Get(server.url, path).status != 200;
    });
  }
  readers.emplace_back([&] {
    for (int i = 0; i < 50; ++i) {
      bad += Fetch(server.url, "POST", "/v1/predict", {}, R"({"instances":[[1,2]]})").status != 200;
    }
  });
  for (std::thread& reader : readers) reader.join();
  stop = true;
  writer.join();
  EXPECT_EQ(bad, 0);
}

}  // namespace
}  // namespace lethe::server_test
