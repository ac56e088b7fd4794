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

// Access to the brokers of a configuration, for commands that ask a question, send once, or read a
// topic from end to end. A broker that does not answer and a topic that does not exist are both
// kUnavailable; nothing waits for them. Not thread-safe. After an error it can be used again.
class TopicAccess {
 public:
  // Does not connect yet. kConfig if the settings are wrong.
  static Result<std::unique_ptr<TopicAccess>> Open(const KafkaConfig& kafka);

  const KafkaSettings& settings() const { return settings_; }
  KafkaCluster& cluster() { return *cluster_; }

  // The number of partitions of a topic.
  Result<std::int32_t> Partitions(const std::string& topic);

  // Calls `visit` with the messages of a partition in [range.first, range.next), in order, until
  // `visit` returns false. Retries for about twenty seconds if no message comes. kInterrupted after
  // a signal.
  Status Read(const std::string& topic, std::int32_t partition, OffsetRange range,
              const KafkaCluster::Visitor& visit);

 private:
  TopicAccess(KafkaSettings settings, std::unique_ptr<KafkaCluster> cluster)
      : settings_(std::move(settings)), cluster_(std::move(cluster)) {}

  const KafkaSettings settings_;
  const std::unique_ptr<KafkaCluster> cluster_;
};

}  // namespace lethe
