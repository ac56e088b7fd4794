#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "app/config/config.h"
#include "connectors/kafka/cluster.h"
#include "connectors/kafka/settings.h"
#include "engine/base/status.h"

namespace lethe {

// How long a command waits for an answer of a broker.
inline constexpr std::chrono::milliseconds kBrokerTimeout{10'000};

// The brokers of a configuration, for commands that ask, send once, or read a topic through. What
// does not answer, and a topic that is not there, is kUnavailable: nothing is waited for.
class TopicAccess {
 public:
  // Does not connect yet.
  static Result<std::unique_ptr<TopicAccess>> Open(const KafkaConfig& kafka);

  const KafkaSettings& settings() const { return settings_; }
  KafkaCluster& cluster() { return *cluster_; }

  // Of a topic that exists.
  Result<std::int32_t> Partitions(const std::string& topic);

  // Calls `visit` with the messages of a partition in [range.first, range.next); false ends it.
  // Waits through short troubles, and ends with kInterrupted when the user wants to stop.
  Status Read(const std::string& topic, std::int32_t partition, OffsetRange range,
              const KafkaCluster::Visitor& visit);

 private:
  TopicAccess(KafkaSettings settings, std::unique_ptr<KafkaCluster> cluster)
      : settings_(std::move(settings)), cluster_(std::move(cluster)) {}

  const KafkaSettings settings_;
  const std::unique_ptr<KafkaCluster> cluster_;
};

}  // namespace lethe
