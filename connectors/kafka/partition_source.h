#pragma once

#include <chrono>
#include <cstdint>

#include "connectors/batch_source.h"
#include "connectors/kafka/consumer.h"

namespace lethe {

// A BatchSource for one partition of a live topic. Read may be called by one thread at a time; the
// other methods are thread-safe. Borrows the consumer, which must outlive it. Never ends: when
// nothing comes, or the consumer was stopped, Read returns true with an empty batch. Errors are
// those of KafkaConsumer::Read.
class KafkaPartitionSource final : public BatchSource {
 public:
  // `timeout` is how long Read waits for the first message.
  KafkaPartitionSource(KafkaConsumer& consumer, std::int32_t partition,
                       std::chrono::milliseconds timeout)
      : consumer_(consumer), partition_(partition), timeout_(timeout) {}

  Result<bool> Read(MessageBatch& batch) override {
    const auto found = consumer_.Read(partition_, timeout_, batch);
    if (!found.ok()) return found.status();
    return true;
  }
  bool HasMore() const override { return consumer_.HasMore(partition_); }
  Offset Reached() const override { return consumer_.Position(partition_); }

 private:
  KafkaConsumer& consumer_;
  const std::int32_t partition_;
  const std::chrono::milliseconds timeout_;
};

}  // namespace lethe
