#include "tests/support/kafka/topics.h"

#include <librdkafka/rdkafka.h>

#include <array>
#include <map>
#include <thread>
#include <utility>

#include "connectors/kafka/cluster.h"
#include "connectors/kafka/errors.h"
#include "connectors/kafka/handle.h"

namespace lethe {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

template <typename T>
using Owned = std::unique_ptr<T, void (*)(T*)>;
using Event = Owned<rd_kafka_event_t>;

// A connection, which stays open for the next call: a test wants to go on at once.
Result<kafka::Handle*> Connection(const KafkaSettings& settings) {
  static std::map<std::string, std::unique_ptr<kafka::Handle>> open;
  std::unique_ptr<kafka::Handle>& handle = open[settings.brokers];
  if (handle == nullptr) {
    auto opened = kafka::Handle::OpenProducer(settings, {}, {}, {}, nullptr);
    if (!opened.ok()) return opened.status();
    handle = std::move(opened).value();
  }
  return handle.get();
}

// Waits for the answer to what `send(handle, queue)` asks for.
template <typename Send>
Result<Event> Ask(const KafkaSettings& settings, const std::string& what, milliseconds timeout,
                  const Send& send) {
  const auto connection = Connection(settings);
  if (!connection.ok()) return connection.status();
  kafka::Handle& handle = *connection.value();
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(handle.get()), rd_kafka_queue_destroy);
  send(handle.get(), queue.get());
  Event event(rd_kafka_queue_poll(queue.get(), static_cast<int>(timeout.count())),
              rd_kafka_event_destroy);
  if (event == nullptr) return handle.Unavailable(what);
  const auto error = rd_kafka_event_error(event.get());
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return event;
  return kafka::FromError(error, what, rd_kafka_event_error_string(event.get()));
}

Status FirstError(const rd_kafka_topic_result_t** topics, std::size_t count,
                  const std::string& what) {
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto error = rd_kafka_topic_result_error(topics[i])) {
      return kafka::FromError(error, what);
    }
  }
  return Status::Ok();
}

// The controller answers before the brokers know of the partitions.
Status AwaitPartitions(const KafkaSettings& settings, const std::string& topic, std::int32_t count,
                       milliseconds timeout) {
  auto cluster = KafkaCluster::Open(settings, {});
  if (!cluster.ok()) return cluster.status();
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    const auto found = cluster.value()->PartitionCount(topic, timeout);
    if (!found.ok()) return found.status();
    if (found.value().value_or(0) >= count) break;
    if (Clock::now() >= deadline) {
      return {ErrorCode::kUnavailable, "topic \"" + topic + "\" did not grow in time"};
    }
    std::this_thread::sleep_for(milliseconds(50));
  }
  // Asking for offsets waits for a leader.
  for (std::int32_t partition = 0; partition < count; ++partition) {
    const auto range = cluster.value()->Range(topic, partition, timeout);
    if (!range.ok()) return range.status();
  }
  return Status::Ok();
}

}  // namespace

Status DeleteTopic(const KafkaSettings& settings, const std::string& topic, milliseconds timeout) {
  const std::string what = "cannot delete topic \"" + topic + "\"";
  const Owned<rd_kafka_DeleteTopic_t> deleted(rd_kafka_DeleteTopic_new(topic.c_str()),
                                              rd_kafka_DeleteTopic_destroy);
  rd_kafka_DeleteTopic_t* request = deleted.get();
  const auto event = Ask(settings, what, timeout, [&](rd_kafka_t* kafka, rd_kafka_queue_t* queue) {
    rd_kafka_DeleteTopics(kafka, &request, 1, nullptr, queue);
  });
  if (!event.ok()) return event.status();
  std::size_t count = 0;
  const auto* result = rd_kafka_event_DeleteTopics_result(event.value().get());
  const auto** topics = rd_kafka_DeleteTopics_result_topics(result, &count);
  return FirstError(topics, count, what);
}

Status AddPartitions(const KafkaSettings& settings, const std::string& topic, std::int32_t total,
                     milliseconds timeout) {
  const std::string what = "cannot add partitions to topic \"" + topic + "\"";
  std::array<char, 256> errstr{};
  const Owned<rd_kafka_NewPartitions_t> added(
      rd_kafka_NewPartitions_new(topic.c_str(), static_cast<std::size_t>(total), errstr.data(),
                                 errstr.size()),
      rd_kafka_NewPartitions_destroy);
  if (added == nullptr) return {ErrorCode::kConfig, "Kafka: " + what + ": " + errstr.data()};
  rd_kafka_NewPartitions_t* request = added.get();
  const auto event = Ask(settings, what, timeout, [&](rd_kafka_t* kafka, rd_kafka_queue_t* queue) {
    rd_kafka_CreatePartitions(kafka, &request, 1, nullptr, queue);
  });
  if (!event.ok()) return event.status();
  std::size_t count = 0;
  const auto* result = rd_kafka_event_CreatePartitions_result(event.value().get());
  const auto** topics = rd_kafka_CreatePartitions_result_topics(result, &count);
  LETHE_RETURN_IF_ERROR(FirstError(topics, count, what));
  return AwaitPartitions(settings, topic, total, timeout);
}

Status DeleteRecordsBefore(const KafkaSettings& settings, const std::string& topic,
                           std::int32_t partition, Offset offset, milliseconds timeout) {
  const std::string what = "cannot delete records of topic \"" + topic + "\"";
  const Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(1),
                                                    rd_kafka_topic_partition_list_destroy);
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset.value;
  const Owned<rd_kafka_DeleteRecords_t> deleted(rd_kafka_DeleteRecords_new(list.get()),
                                                rd_kafka_DeleteRecords_destroy);
  rd_kafka_DeleteRecords_t* request = deleted.get();
  const auto event = Ask(settings, what, timeout, [&](rd_kafka_t* kafka, rd_kafka_queue_t* queue) {
    rd_kafka_DeleteRecords(kafka, &request, 1, nullptr, queue);
  });
  if (!event.ok()) return event.status();
  const auto* result = rd_kafka_event_DeleteRecords_result(event.value().get());
  const auto error = rd_kafka_DeleteRecords_result_offsets(result)->elems[0].err;
  return error == RD_KAFKA_RESP_ERR_NO_ERROR ? Status::Ok() : kafka::FromError(error, what);
}

}  // namespace lethe
