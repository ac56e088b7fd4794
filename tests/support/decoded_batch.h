#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "connectors/kafka/consumer.h"

namespace lethe {

// Messages of a partition, and the records that they were decoded to.
struct DecodedBatch {
  MessageBatch messages;
  std::vector<Record> records;
};

// The next messages of a partition, decoded; nullptr if none came within `timeout`.
inline Result<std::shared_ptr<const DecodedBatch>> NextBatch(KafkaConsumer& consumer,
                                                             std::int32_t partition,
                                                             std::chrono::milliseconds timeout) {
  auto batch = std::make_shared<DecodedBatch>();
  const auto found = consumer.Read(partition, timeout, batch->messages);
  if (!found.ok()) return found.status();
  if (!found.value()) return std::shared_ptr<const DecodedBatch>();
  batch->records.resize(batch->messages.size());
  for (std::size_t i = 0; i < batch->records.size(); ++i) {
    batch->messages.Decode(i, batch->records[i]);
  }
  return std::shared_ptr<const DecodedBatch>(std::move(batch));
}

}  // namespace lethe
