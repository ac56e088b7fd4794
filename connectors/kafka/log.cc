#include "connectors/kafka/log.h"

#include <algorithm>

namespace lethe::kafka {

namespace {

constexpr std::size_t kMaxTexts = 256;

std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

}  // namespace

void RateLimitedLog::TellAt(std::string line, Clock::time_point now) {
  // How long a connection took to fail is different every time, and tells nobody anything.
  if (const std::size_t at = line.rfind(" (after "); at != std::string::npos) line.resize(at);
  {
    std::lock_guard lock(mutex_);
    if (seen_.size() > kMaxTexts) seen_.clear();
    const auto [found, is_new] = seen_.try_emplace(line, Seen{now, 0});
    if (!is_new) {
      if (now - found->second.told < kInterval) {
        ++found->second.left_out;
        return;
      }
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
