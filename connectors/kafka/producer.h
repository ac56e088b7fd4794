#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "connectors/kafka/log.h"
#include "connectors/kafka/settings.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// A message to send.
struct OutMessage {
  std::string topic;
  std::optional<std::int32_t> partition;  // none: the partitioner chooses by the key
  std::optional<std::string> key;
  std::optional<std::string> value;  // none: a tombstone
  std::vector<std::pair<std::string, std::string>> headers;
  std::int64_t timestamp_ms = 0;  // 0: the time at which it is sent
};

// An idempotent producer: every message is written once, in order within its partition, and is
// delivered when all in-sync replicas have it. It waits for unreachable brokers without a time
// limit. Thread-safe. It owns one thread, which calls the delivery callbacks; what these capture
// must outlive the producer. A message that fails does not affect the others.
class KafkaProducer {
 public:
  using OnDelivery = std::function<void(Status)>;

  // kConfig when librdkafka refuses the settings. Does not wait for a broker.
  static Result<std::unique_ptr<KafkaProducer>> Start(const KafkaSettings& settings, KafkaLog log);
  // Messages that are still under way fail with kUnavailable, and their callbacks are called before
  // the destructor returns. Whether these messages arrived is unknown.
  ~KafkaProducer();
  KafkaProducer(const KafkaProducer&) = delete;
  KafkaProducer& operator=(const KafkaProducer&) = delete;

  // Queues a copy of a message. If Send succeeds, `on_delivery` (may be empty) is called once, in
  // the producer's thread, possibly before Send returns: with ok, or with the reason why the
  // message will never arrive (too large, unknown topic, access denied). It must not wait for the
  // producer. If Send fails, `on_delivery` is not called; kUnavailable means that the local queue
  // was full for longer than `timeout`.
  Status Send(const OutMessage& message, OnDelivery on_delivery, std::chrono::milliseconds timeout);

  // The same, with a callback that also gets the partition and offset of the message. Both are -1
  // if it did not arrive.
  using OnDelivered =
      std::function<void(const Status& status, std::int32_t partition, Offset offset)>;
  Status SendTracked(const OutMessage& message, OnDelivered on_delivered,
                     std::chrono::milliseconds timeout);

  // Fetches the leaders of a topic's partitions ahead of the first message. Without it, librdkafka
  // fetches them up to a second after the first message, which waits meanwhile. Errors are ignored:
  // sending a message will report them.
  void FindLeaders(const std::string& topic, std::chrono::milliseconds timeout);

  // Waits until every message sent so far was delivered or has failed. Returns the first failure
  // since the last Flush that completed, or kUnavailable when the time is over.
  Status Flush(std::chrono::milliseconds timeout);

  // The number of messages that were neither delivered nor failed.
  std::int64_t outstanding() const;
  // The age of the oldest of them.
  std::optional<std::chrono::milliseconds> oldest_age() const;

 private:
  struct Impl;

  explicit KafkaProducer(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
