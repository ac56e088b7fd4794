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

struct OutMessage {
  std::string topic;
  std::optional<std::int32_t> partition;  // none: the partitioner chooses by the key
  std::optional<std::string> key;
  std::optional<std::string> value;  // none: a tombstone
  std::vector<std::pair<std::string, std::string>> headers;
  std::int64_t timestamp_ms = 0;  // 0: the time at which it is sent
};

// Sends messages, each once and in the order of a partition, to all replicas. A broker that is away
// is waited for, without end. Thread-safe.
class KafkaProducer {
 public:
  using OnDelivery = std::function<void(Status)>;

  static Result<std::unique_ptr<KafkaProducer>> Start(const KafkaSettings& settings, KafkaLog log);
  // What was not delivered fails with kUnavailable; whether it arrived is then unknown.
  ~KafkaProducer();
  KafkaProducer(const KafkaProducer&) = delete;
  KafkaProducer& operator=(const KafkaProducer&) = delete;

  // Queues a message. `on_delivery` (may be empty) is called once, from a thread of the producer
  // and not while Send runs: ok, or why the message will never arrive (too large, unknown topic,
  // access denied). It must not wait for the producer. If Send fails it is not called:
  // kUnavailable when the local queue was full for longer than `timeout`.
  Status Send(const OutMessage& message, OnDelivery on_delivery, std::chrono::milliseconds timeout);

  // The same, and tells where the message went; both are -1 if it did not arrive.
  using OnDelivered =
      std::function<void(const Status& status, std::int32_t partition, Offset offset)>;
  Status SendTracked(const OutMessage& message, OnDelivered on_delivered,
                     std::chrono::milliseconds timeout);

  // Asks who leads the partitions of a topic. Without it librdkafka asks up to a second after the
  // first message, which then waits. What goes wrong here, the message will tell.
  void FindLeaders(const std::string& topic, std::chrono::milliseconds timeout);

  // Waits until all that was sent so far was delivered or failed; kUnavailable when the time is
  // over. Returns the first failure since the last Flush that did not run out of time.
  Status Flush(std::chrono::milliseconds timeout);

  std::int64_t outstanding() const;
  // How long the oldest message that was neither delivered nor failed has been under way.
  std::optional<std::chrono::milliseconds> oldest_age() const;

 private:
  struct Impl;

  explicit KafkaProducer(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
