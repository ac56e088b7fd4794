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

// Looking after topics: making them, and reading how they are set. kUnavailable when no broker
// answers in time. Thread-safe.
class KafkaAdmin {
 public:
  using Timeout = std::chrono::milliseconds;
  using TopicConfig = std::map<std::string, std::string>;

  static Result<std::unique_ptr<KafkaAdmin>> Open(const KafkaSettings& settings, KafkaLog log);
  ~KafkaAdmin();
  KafkaAdmin(const KafkaAdmin&) = delete;
  KafkaAdmin& operator=(const KafkaAdmin&) = delete;

  // With the cluster's own replication factor.
  Status CreateTopic(const std::string& topic, std::int32_t partitions, const TopicConfig& config,
                     Timeout timeout);
  // Every setting in force, e.g. "retention.ms". Secret ones are left out.
  Result<TopicConfig> DescribeTopic(const std::string& topic, Timeout timeout);

 private:
  struct Impl;

  explicit KafkaAdmin(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
