#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "connectors/kafka/handle.h"
#include "engine/base/types.h"

struct rd_kafka_message_s;
struct rd_kafka_queue_s;

namespace lethe::kafka {

// A partition that is being consumed by librdkafka's simple consumer, from an offset on.
class PartitionQueue {
 public:
  using Callback = void (*)(rd_kafka_message_s*, void*);

  static Result<std::unique_ptr<PartitionQueue>> Start(Handle& handle, rd_kafka_topic_s* topic,
                                                       std::int32_t partition, Offset first);
  // Stops the fetching and drops what was fetched. Not from a callback.
  ~PartitionQueue();
  PartitionQueue(const PartitionQueue&) = delete;
  PartitionQueue& operator=(const PartitionQueue&) = delete;

  // Calls back with what there is, messages and errors, or comes; returns how many, below 0 when
  // the partition is not known, or not any more.
  int Consume(int timeout_ms, Callback callback, void* opaque);
  // Ends a Consume that waits. From any thread.
  void Interrupt();
  // How many messages were fetched and not consumed.
  std::size_t length() const;

 private:
  PartitionQueue(rd_kafka_topic_s* topic, std::int32_t partition, rd_kafka_queue_s* queue)
      : topic_(topic), partition_(partition), queue_(queue) {}

  rd_kafka_topic_s* const topic_;
  const std::int32_t partition_;
  rd_kafka_queue_s* const queue_;
};

}  // namespace lethe::kafka
