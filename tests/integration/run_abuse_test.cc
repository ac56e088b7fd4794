// A daemon on a real broker whose HTTP surface is abused while it learns: every bad request gets a
// clear answer, memory is bounded, and the result is that of a run that nobody disturbed.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/daemon_fixture.h"
#include "tests/support/http_client.h"

namespace lethe::testing::run_abuse_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kSlowClients = 200;
constexpr auto kSlowTime = seconds(12);
#ifdef __SANITIZE_ADDRESS__
constexpr std::int64_t kMoreMemoryKiB = 512 * 1024;  // with what a sanitizer keeps
#else
constexpr std::int64_t kMoreMemoryKiB = 128 * 1024;
#endif

// The largest memory that a process had so far.
std::int64_t PeakKiB(const Process& process) {
  std::ifstream status("/proc/" + std::to_string(process.pid()) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6));
  }
  return 0;
}

struct BadRequest {
  const char* what;
  std::string method;
  std::string path;
  std::string body;
  std::vector<int> statuses;
};

std::vector<BadRequest> BadRequests() {
  const std::string row = R"({"instances":[[0,0,0,0,0],[1,2]]})";
  return {
      {"an oversized body", "POST", "/v1/predict", std::string(2 << 20, ' '), {413}},
      {"malformed JSON", "POST", "/v1/predict", R"({"instances":[[1,2)", {400}},
      {"something else in JSON", "POST", "/v1/predict", "[]", {400}},
      {"a wrong dimension", "POST", "/v1/predict", row, {400}},
      {"deep nesting", "POST", "/v1/predict", std::string(100'000, '['), {400}},
      {"no number", "POST", "/v1/predict", R"({"instances":[[NaN]]})", {400}},
      {"path traversal", "GET", "/../../../../etc/passwd", "", {400, 404}},
      {"path traversal", "GET", "/web/../../../../etc/passwd", "", {400, 404}},
      {"path traversal", "GET", "/web/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "", {400, 404}},
      {"path traversal", "GET", "/web/..%2f..%2f..%2fetc/passwd", "", {400, 404}},
      {"path traversal", "GET", "/v1/receipts/../../../etc/passwd", "", {400, 404}},
      {"a wrong method", "DELETE", "/v1/model", "", {405}},
      {"a wrong method", "POST", "/metrics", "x", {405}},
      {"a wrong method", "GET", "/v1/predict", "", {405}},
      {"an unknown receipt", "GET", "/v1/receipts/00000000-0000-4000-8000-000000000000", "", {404}},
      {"no receipt at all", "GET", "/v1/receipts/nonsense", "", {400}},
      {"an unknown path", "GET", "/v3", "", {404}},
      {"an unknown format", "GET", "/v1/model?format=exe", "", {400}},
      {"a deletion without a token", "POST", "/v1/forget", R"({"subject":"user-1"})", {404}},
  };
}

// The beginnings of requests that drip on and never end.
std::string SlowRequest(std::size_t i) {
  static const std::string kHead = " HTTP/1.1\r\nHost: localhost\r\n";
  switch (i % 4) {
    case 0: return "GET /metrics" + kHead + "X-Slow: ";
    case 1: return "POST /v1/predict" + kHead + "Content-Length: 900000\r\n\r\n{\"instances\":[";
    case 2: return "G";
    default: return "GET /v1/receipts?limit=";
  }
}

class RunAbuseTest : public DaemonTest {
 protected:
  static void ExpectRefused(const std::string& url, const BadRequest& bad) {
    const HttpReply reply = Fetch(url, bad.method, bad.path, {}, bad.body);
    EXPECT_NE(std::find(bad.statuses.begin(), bad.statuses.end(), reply.status), bad.statuses.end())
        << bad.what << ": " << reply.status;
    EXPECT_TRUE(reply.body.starts_with("{\"error\":\"")) << bad.what << ": " << reply.body;
    EXPECT_EQ(reply.headers.count("content-security-policy"), 1U) << bad.what;
  }

  // The first request is answered, what follows on the same connection is refused.
  static void ExpectRefusedBehind(const std::string& url, const std::string& garbage) {
    RawConnection connection(url);
    connection.Send("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n" + garbage);
    const std::string text = connection.ReadAll();
    EXPECT_EQ(ParseReply(text).status, 200) << text;
    const std::size_t second = text.find("HTTP/1.1", 1);
    ASSERT_NE(second, std::string::npos) << text;
    const HttpReply refusal = ParseReply(text.substr(second));
    EXPECT_EQ(refusal.status, 400) << text;
    EXPECT_TRUE(refusal.body.starts_with("{\"error\":\"")) << text;
  }

  static void SendBadRequests(const std::string& url) {
    for (const BadRequest& bad : BadRequests()) ExpectRefused(url, bad);
    ExpectRefusedBehind(url, std::string("\0\xff\x80 garbage\r\n\r\n", 15));
    ExpectRefusedBehind(url, std::string(3000, 'x') + "\r\n\r\n");
    RawConnection huge(url);
    huge.Send(
        "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\n");
    EXPECT_EQ(ParseReply(huge.ReadAll()).status, 413);
  }

  // Keeps so many clients busy with requests that they do not finish, until `stop`.
  static void BeSlow(const std::string& url, const std::atomic<bool>& stop) {
    std::vector<std::unique_ptr<RawConnection>> clients(kSlowClients);
    while (!stop) {
      for (std::size_t i = 0; i < clients.size() && !stop; ++i) {
        if (clients[i] != nullptr && clients[i]->Send("0")) continue;
        clients[i] = std::make_unique<RawConnection>(url);
        clients[i]->Send(SlowRequest(i));
      }
      std::this_thread::sleep_for(milliseconds(200));
    }
  }

  // The slowest of many scrapes while clients are slow, one after the other.
  static milliseconds SlowestScrape(const std::string& url) {
    std::atomic<bool> stop = false;
    std::thread slow([&] { BeSlow(url, stop); });
    milliseconds slowest{0};
    for (const auto end = Clock::now() + kSlowTime; Clock::now() < end;) {
      const auto before = Clock::now();
      EXPECT_EQ(Get(url, "/metrics").status, 200);
      slowest = std::max(slowest, duration_cast<milliseconds>(Clock::now() - before));
      std::this_thread::sleep_for(milliseconds(50));
    }
    stop = true;
    slow.join();
    return slowest;
  }
};

TEST_F(RunAbuseTest, EveryBadRequestIsAnsweredAndTheLearningIsNotDisturbed) {
  // Nothing that a clock decides within the time of this test.
  Config("erasure: {max_lag: 1h}\n");
  const std::vector<OutMessage> messages = Generate(20'000, 0.01);
  const auto daemon = Start();
  const std::string url = Url(*daemon);
  ASSERT_TRUE(daemon->Says("msg=ready")) << daemon->Log();
  Send({messages.begin(), messages.begin() + 2000});
  WaitForRecords(*daemon, 2000);
  const std::int64_t before = PeakKiB(*daemon);

  std::thread stream([&] {
    constexpr std::size_t kPiece = 500;
    for (std::size_t i = 2000; i < messages.size(); i += kPiece) {
      Send({messages.begin() + static_cast<std::ptrdiff_t>(i),
            messages.begin() + static_cast<std::ptrdiff_t>(std::min(i + kPiece, messages.size()))});
      std::this_thread::sleep_for(milliseconds(300));
    }
  });
  SendBadRequests(url);
  const milliseconds slowest = SlowestScrape(url);
  SendBadRequests(url);
  stream.join();

  EXPECT_LT(slowest, seconds(5));
  WaitForRecords(*daemon, static_cast<std::int64_t>(messages.size()));
  EXPECT_LT(PeakKiB(*daemon) - before, kMoreMemoryKiB);
  RecordProperty("slowest_scrape_ms", std::to_string(slowest.count()));
  RecordProperty("more_memory_kib", std::to_string(PeakKiB(*daemon) - before));
  const std::string model = Model(*daemon);
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  EXPECT_EQ(daemon->Log().find("ERROR:"), std::string::npos) << daemon->Log();  // of a sanitizer

  const Replayed undisturbed = Replay(RecordTopic(topic));
  EXPECT_EQ(model, undisturbed.model);
  EXPECT_EQ(PublishedChain(), undisturbed.chain);
  EXPECT_GT(undisturbed.chain.size(), 100U);
}

}  // namespace
}  // namespace lethe::testing::run_abuse_test
