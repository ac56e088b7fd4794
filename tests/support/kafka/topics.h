#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "connectors/kafka/settings.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// Changes to topics that Lethe itself never makes. Not thread-safe. kConfig: the topic does not
// exist; kUnavailable: no broker answered in time.
Status DeleteTopic(const KafkaSettings& settings, const std::string& topic,
                   std::chrono::milliseconds timeout);
// `total` counts the partitions that the topic has already. Returns when all of them have a leader.
Status AddPartitions(const KafkaSettings& settings, const std::string& topic, std::int32_t total,
                     std::chrono::milliseconds timeout);
// Removes the records before an offset, as retention does.
Status DeleteRecordsBefore(const KafkaSettings& settings, const std::string& topic,
                           std::int32_t partition, Offset offset,
                           std::chrono::milliseconds timeout);

}  // namespace lethe
