#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "connectors/kafka/handle.h"
#include "engine/base/types.h"

struct rd_kafka_message_s;
struct rd_kafka_queue_s;

namespace lethe::kafka {

// The fetch queue of one partition, read with librdkafka's simple consumer. Consume may be called
// by one thread at a time; Interrupt and length are thread-safe. Borrows the handle and the topic,
// which must outlive it.
class PartitionQueue {
 public:
  using Callback = void (*)(rd_kafka_message_s*, void*);

  // Begins to fetch from `first` on. Does not wait for a broker.
  static Result<std::unique_ptr<PartitionQueue>> Start(Handle& handle, rd_kafka_topic_s* topic,
                                                       std::int32_t partition, Offset first);
  // Stops fetching and drops the messages in the queue. Must not run inside a callback.
  ~PartitionQueue();
  PartitionQueue(const PartitionQueue&) = delete;
  PartitionQueue& operator=(const PartitionQueue&) = delete;

  // Calls `callback`, in the calling thread, with the queued messages and errors, or waits for the
  // first ones. Returns how many there were: 0 after `timeout_ms` or an Interrupt, and less than 0
  // when the partition is not known to librdkafka.
  int Consume(int timeout_ms, Callback callback, void* opaque);
  // Makes a waiting Consume return; if none waits, the next one does.
  void Interrupt();
  // The number of messages fetched and not yet consumed.
  std::size_t length() const;

 private:
  PartitionQueue(rd_kafka_topic_s* topic, std::int32_t partition, rd_kafka_queue_s* queue)
      : topic_(topic), partition_(partition), queue_(queue) {}

  rd_kafka_topic_s* const topic_;
  const std::int32_t partition_;
  rd_kafka_queue_s* const queue_;
};

}  // namespace lethe::kafka
