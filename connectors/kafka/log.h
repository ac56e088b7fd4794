#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace lethe {

// Where trouble with the connection is told, one line at a time, without secrets. Called from
// librdkafka's threads: it must be thread-safe, and must not call back into a connector.
using KafkaLog = std::function<void(const std::string& line)>;

namespace kafka {

// In front of a KafkaLog: the same text at most every ten seconds, then with the number of times
// that it was left out. Every connection has one; a process with several connections puts one more
// behind them, since each of them says the same of a broker that is away. Thread-safe.
class RateLimitedLog {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kInterval{10};

  explicit RateLimitedLog(KafkaLog log) : log_(std::move(log)) {}

  void Tell(std::string line) { TellAt(std::move(line), Clock::now()); }
  void TellAt(std::string line, Clock::time_point now);
  // Without a limit, for what the user asked to see.
  void TellAlways(std::string line);

 private:
  struct Seen {
    Clock::time_point told;
    std::int64_t left_out = 0;
  };

  const KafkaLog log_;
  std::mutex mutex_;
  std::map<std::string, Seen> seen_;
};

}  // namespace kafka

}  // namespace lethe
