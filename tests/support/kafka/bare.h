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

// Measures the speed of librdkafka alone, for comparison: consumes a partition from `first` up to
// the message before `next` by callback, and only counts. kUnavailable if nothing comes for `idle`.
Result<BareCount> CountMessages(const KafkaSettings& settings, const std::string& topic,
                                std::int32_t partition, Offset first, Offset next,
                                std::chrono::milliseconds idle);

}  // namespace lethe
