#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "connectors/kafka/settings.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

struct BareCount {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;  // of keys and values
  double seconds = 0;      // from the start of the consumer to the last message
};

// What librdkafka itself can do, to compare with: consumes a partition from `first` up to the
// message before `next` by callback, and does nothing but count. kUnavailable when nothing comes
// for `idle`.
Result<BareCount> CountMessages(const KafkaSettings& settings, const std::string& topic,
                                std::int32_t partition, Offset first, Offset next,
                                std::chrono::milliseconds idle);

}  // namespace lethe
