#include "app/topics/retention.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace lethe {
namespace {

std::optional<std::int64_t> Number(const KafkaAdmin::TopicConfig& config, const char* name) {
  const auto found = config.find(name);
  std::int64_t number = 0;
  if (found == config.end()) return std::nullopt;
  const std::string& text = found->second;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
    return std::nullopt;
  }
  // Kafka's ways to say "no limit".
  if (number < 0 || number == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return number;
}

}  // namespace

TopicRetention TopicRetention::Of(const KafkaAdmin::TopicConfig& config) {
  TopicRetention retention;
  const auto policy = config.find("cleanup.policy");
  const std::string words = policy == config.end() ? "delete" : policy->second;
  retention.is_deleted = words.find("delete") != std::string::npos;
  retention.is_compacted = words.find("compact") != std::string::npos;
  retention.keep_ms = Number(config, "retention.ms");
  retention.keep_bytes = Number(config, "retention.bytes");
  retention.min_compaction_lag_ms = Number(config, "min.compaction.lag.ms").value_or(0);
  retention.max_compaction_lag_ms = Number(config, "max.compaction.lag.ms");
  retention.tombstone_ms = Number(config, "delete.retention.ms").value_or(0);
  return retention;
}

std::optional<std::int64_t> TopicRetention::Longest() const {
  std::optional<std::int64_t> longest;
  if (is_deleted) longest = keep_ms;
  if (is_compacted && max_compaction_lag_ms) {
    longest = std::min(longest.value_or(*max_compaction_lag_ms), *max_compaction_lag_ms);
  }
  return longest;
}

std::string DurationText(std::int64_t ms) {
  constexpr std::int64_t kSecond = 1000;
  constexpr std::int64_t kHour = 3600 * kSecond;
  constexpr std::int64_t kDay = 24 * kHour;
  const auto in = [&](std::int64_t unit, const char* name) {
    return std::to_string(ms / unit) + " " + name;
  };
  if (ms > 0 && ms % kDay == 0) return in(kDay, "d");
  if (ms > 0 && ms % kHour == 0) return in(kHour, "h");
  if (ms > 0 && ms % kSecond == 0) return in(kSecond, "s");
  return in(1, "ms");
}

}  // namespace lethe
