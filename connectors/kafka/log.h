#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace lethe {

// A log of connection problems. It is called with one line at a time, which holds no secrets, from
// librdkafka's threads: it must be thread-safe and must not call a connector.
using KafkaLog = std::function<void(const std::string& line)>;

namespace kafka {

// A rate limiter in front of a KafkaLog: it passes the same text on at most every ten seconds, with
// the number of repetitions it has suppressed. Every connection has one. A process with several
// connections chains a second one that they share, because each of them reports the same
// unreachable broker. Thread-safe. It remembers about 256 texts.
class RateLimitedLog {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kInterval{10};

  explicit RateLimitedLog(KafkaLog log) : log_(std::move(log)) {}

  void Tell(std::string line) { TellAt(std::move(line), Clock::now()); }
  void TellAt(std::string line, Clock::time_point now);
  // Passes the line on without a limit: for debug lines that the user asked for.
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
