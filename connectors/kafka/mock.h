#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// A broker inside this process, librdkafka's own, for demonstrations. It listens on a free port of
// loopback and serves other processes too. It keeps about 5 MiB of each partition, in memory, and
// knows neither transactions that abort nor questions about settings. Thread-safe.
class KafkaMock {
 public:
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
