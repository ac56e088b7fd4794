#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// A Kafka broker inside this process, for demonstrations; it is librdkafka's mock cluster. It
// listens on a free port of loopback, so other processes can use it too. It keeps about 5 MiB per
// partition in memory, and supports neither aborted transactions nor queries of settings.
// Thread-safe. It stops when it is destroyed, and its messages are lost.
class KafkaMock {
 public:
  // kUnavailable when it cannot listen on loopback.
  static Result<std::unique_ptr<KafkaMock>> Start();
  ~KafkaMock();
  KafkaMock(const KafkaMock&) = delete;
  KafkaMock& operator=(const KafkaMock&) = delete;

  Status CreateTopic(const std::string& topic, std::int32_t partitions);

  // host:port, for source.kafka.brokers.
  std::string brokers() const;

 private:
  struct Impl;

  explicit KafkaMock(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
