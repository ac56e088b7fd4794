#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "connectors/kafka/admin.h"

namespace lethe {

// How Kafka removes records from a topic, from the topic's settings.
struct TopicRetention {
  bool is_deleted = false;                            // cleanup.policy has `delete`
  bool is_compacted = false;                          // cleanup.policy has `compact`
  std::optional<std::int64_t> keep_ms;                // if deleted; none: for ever
  std::optional<std::int64_t> keep_bytes;             // if deleted; none: any size
  std::int64_t min_compaction_lag_ms = 0;             // if compacted
  std::optional<std::int64_t> max_compaction_lag_ms;  // if compacted; none: no bound
  std::int64_t tombstone_ms = 0;                      // if compacted: how long tombstones are kept

  static TopicRetention Of(const KafkaAdmin::TopicConfig& config);

  // The longest time until a record is gone that is too old, or has a newer record with its key.
  // None if the settings give no bound.
  std::optional<std::int64_t> Longest() const;
};

// "7 d", "90 s".
std::string DurationText(std::int64_t ms);

}  // namespace lethe
