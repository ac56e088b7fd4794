#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "connectors/kafka/admin.h"

namespace lethe {

// How a topic is cleaned, from its settings.
struct Retention {
  bool is_deleted = false;                            // by age
  bool is_compacted = false;                          // by key
  std::optional<std::int64_t> keep_ms;                // deleted: none is for ever
  std::optional<std::int64_t> keep_bytes;             // deleted: also by size
  std::int64_t min_compaction_lag_ms = 0;             // compacted
  std::optional<std::int64_t> max_compaction_lag_ms;  // compacted: none is no bound
  std::int64_t tombstone_ms = 0;  // compacted: how long deletes by null are kept

  static Retention Of(const KafkaAdmin::TopicConfig& config);

  // After how long a record that was superseded, by age or by a newer one of its key, is gone.
  // None: never, as far as the settings say.
  std::optional<std::int64_t> Longest() const;
};

// "7 d", "90 s".
std::string DurationText(std::int64_t ms);

}  // namespace lethe
