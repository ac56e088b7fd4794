// POST /v1/predict on one connection, one request after the other, from outside of the server's
// threads: requests per second, and how long the slowest of a hundred takes.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "connectors/system/sodium_hash.h"
#include "http/server.h"

namespace lethe {
namespace {

using Clock = std::chrono::steady_clock;

class Client {
 public:
  explicit Client(const std::string& url) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port =
        htons(static_cast<std::uint16_t>(std::atoi(url.substr(url.rfind(':') + 1).c_str())));
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    is_open_ = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Whether the answer was 200. One that says so ends the connection.
  bool Ask(const std::string& request) {
    if (send(socket_, request.data(), request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request.size())) {
      return false;
    }
    reply_.clear();
    for (std::size_t need = std::string::npos; reply_.size() < need;) {
      char buffer[1 << 16];
      const ssize_t size = recv(socket_, buffer, sizeof buffer, 0);
      if (size <= 0) return false;
      reply_.append(buffer, static_cast<std::size_t>(size));
      const std::size_t head = reply_.find("\r\n\r\n");
      const std::size_t length = reply_.find("Content-Length: ");
      if (head == std::string::npos || length == std::string::npos) continue;
      need = head + 4 + static_cast<std::size_t>(std::atoll(reply_.c_str() + length + 16));
    }
    is_open_ = reply_.find("Connection: close") == std::string::npos;
    return reply_.starts_with("HTTP/1.1 200");
  }
  bool is_open() const { return is_open_; }
  const std::string& reply() const { return reply_; }

 private:
  int socket_ = -1;
  bool is_open_ = false;
  std::string reply_;
};

std::string Request(std::int64_t rows, std::int64_t dimension) {
  std::string body = "{\"instances\":[";
  for (std::int64_t row = 0; row < rows; ++row) {
    body += row == 0 ? "[" : ",[";
    for (std::int64_t i = 0; i < dimension; ++i) {
      body += (i == 0 ? "0." : ",0.") + std::to_string(100'000 + 7 * row + i);
    }
    body += "]";
  }
  body += "]}";
  return "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

void BM_Predict(benchmark::State& state) {
  constexpr std::int64_t kDimension = 20;
  SodiumHasher hasher;
  PipelineInfo info;
  info.loss = "logistic";
  info.dimension = kDimension;
  PublishedState published(info);
  ShardReport report;
  report.weights = Vector::LinSpaced(kDimension, -1, 1);
  report.counters.learned = 1;
  published.Show(std::move(report));
  PipelineMetrics metrics(published, "bench");
  const auto server =
      HttpServer::Start({.host = "127.0.0.1", .port = 0, .token = {}, .hasher = &hasher}, published,
                        metrics)
          .value();
  const std::string request = Request(state.range(0), kDimension);
  auto client = std::make_unique<Client>(server->url());
  std::vector<double> seconds;
  std::int64_t connections = 1;
  for (auto _ : state) {
    if (!client->is_open()) {
      client = std::make_unique<Client>(server->url());
      ++connections;
    }
    const auto start = Clock::now();
    if (!client->Ask(request))
      return state.SkipWithError(("no prediction: " + client->reply()).c_str());
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  const auto quantile = [&seconds](double part) {
    const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(seconds.size() - 1));
    std::nth_element(seconds.begin(), seconds.begin() + at, seconds.end());
    return seconds[static_cast<std::size_t>(at)] * 1e6;
  };
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["requests"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["p50_us"] = quantile(0.5);
  state.counters["p99_us"] = quantile(0.99);
  state.counters["connections"] = static_cast<double>(connections);
}

BENCHMARK(BM_Predict)->ArgName("rows")->Arg(1)->Arg(100)->Arg(1000)->UseRealTime()->MinTime(3);

}  // namespace
}  // namespace lethe
