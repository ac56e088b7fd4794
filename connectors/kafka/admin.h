#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "connectors/kafka/log.h"
#include "connectors/kafka/settings.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// A client that creates topics and reads their settings. Thread-safe. An error leaves it usable:
// kUnavailable when no broker answers in time, kConfig when the cluster refuses the request.
class KafkaAdmin {
 public:
  using Timeout = std::chrono::milliseconds;
  using TopicConfig = std::map<std::string, std::string>;

  // kConfig when librdkafka refuses the settings. Does not wait for a broker.
  static Result<std::unique_ptr<KafkaAdmin>> Open(const KafkaSettings& settings, KafkaLog log);
  ~KafkaAdmin();
  KafkaAdmin(const KafkaAdmin&) = delete;
  KafkaAdmin& operator=(const KafkaAdmin&) = delete;

  // Creates a topic with the default replication factor of the cluster, and waits until every
  // partition has a leader. A topic that exists already is a kConfig error.
  Status CreateTopic(const std::string& topic, std::int32_t partitions, const TopicConfig& config,
                     Timeout timeout);
  // All settings in force, e.g. "retention.ms". Settings that the broker keeps secret are left out.
  Result<TopicConfig> DescribeTopic(const std::string& topic, Timeout timeout);

 private:
  struct Impl;

  explicit KafkaAdmin(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
