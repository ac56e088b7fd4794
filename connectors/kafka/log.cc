#include "connectors/kafka/log.h"

#include <algorithm>
#include <cstdio>

namespace lethe::kafka {

namespace {

constexpr std::size_t kMaxTexts = 256;

std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

constexpr char kLeftOut[] = " (and ";

// Removes " (and N times since)" from the end and returns N, or returns 0 if it is not there.
std::int64_t TakeLeftOut(std::string& line) {
  const std::size_t at = line.rfind(kLeftOut);
  long long count = 0;
  int end = 0;
  if (at == std::string::npos ||
      std::sscanf(line.c_str() + at, " (and %lld times since)%n", &count, &end) != 1 ||
      at + static_cast<std::size_t>(end) != line.size()) {
    return 0;
  }
  line.resize(at);
  return count;
}

}  // namespace

void RateLimitedLog::TellAt(std::string line, Clock::time_point now) {
  // "(after 12ms in state CONNECT)" differs every time, which would defeat the limit.
  if (const std::size_t at = line.rfind(" (after "); at != std::string::npos) line.resize(at);
  // The line may come from another limiter, whose suppressed repetitions are added to ours.
  const std::int64_t left_out_before = TakeLeftOut(line);
  {
    std::lock_guard lock(mutex_);
    if (seen_.size() > kMaxTexts) seen_.clear();
    const auto [found, is_new] = seen_.try_emplace(line, Seen{now, 0});
    if (!is_new) {
      if (now - found->second.told < kInterval) {
        found->second.left_out += 1 + left_out_before;
        return;
      }
      found->second.left_out += left_out_before;
      if (found->second.left_out > 0) {
        line += " (and " + std::to_string(found->second.left_out) + " times since)";
      }
      found->second = {now, 0};
    }
  }
  TellAlways(std::move(line));
}

void RateLimitedLog::TellAlways(std::string line) {
  if (log_) log_(OneLine(std::move(line)));
}

}  // namespace lethe::kafka
