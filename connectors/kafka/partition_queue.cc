#include "connectors/kafka/partition_queue.h"

#include <librdkafka/rdkafka.h>

#include "connectors/kafka/errors.h"

namespace lethe::kafka {

Result<std::unique_ptr<PartitionQueue>> PartitionQueue::Start(Handle& handle,
                                                              rd_kafka_topic_s* topic,
                                                              std::int32_t partition,
                                                              Offset first) {
  const char* const name = rd_kafka_topic_name(topic);
  if (rd_kafka_consume_start(topic, partition, first.value) != 0) {
    return FromError(rd_kafka_last_error(), "cannot start to read partition " +
                                                std::to_string(partition) + " of topic \"" + name +
                                                "\"");
  }
  rd_kafka_queue_t* const queue = rd_kafka_queue_get_partition(handle.get(), name, partition);
  return std::unique_ptr<PartitionQueue>(new PartitionQueue(topic, partition, queue));
}

PartitionQueue::~PartitionQueue() {
  rd_kafka_consume_stop(topic_, partition_);
  // Queued messages hold a reference to their partition, and the partition one to the queue. If the
  // partition was deleted meanwhile, nothing else breaks this cycle, and rd_kafka_destroy of
  // librdkafka 2.0.2 would wait forever. So the queue is emptied here.
  const auto drop = [](rd_kafka_message_t*, void*) {};
  while (rd_kafka_consume_callback_queue(queue_, 0, drop, nullptr) > 0) {
  }
  rd_kafka_queue_destroy(queue_);
}

int PartitionQueue::Consume(int timeout_ms, Callback callback, void* opaque) {
  // The call on the queue itself would ignore consume.callback.max.messages.
  return rd_kafka_consume_callback(topic_, partition_, timeout_ms, callback, opaque);
}

void PartitionQueue::Interrupt() { rd_kafka_queue_yield(queue_); }

std::size_t PartitionQueue::length() const { return rd_kafka_queue_length(queue_); }

}  // namespace lethe::kafka
