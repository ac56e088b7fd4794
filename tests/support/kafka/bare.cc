#include "tests/support/kafka/bare.h"

#include <librdkafka/rdkafka.h>

#include <memory>
#include <utility>

#include "connectors/kafka/errors.h"
#include "connectors/kafka/handle.h"
#include "connectors/kafka/partition_queue.h"

namespace lethe {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWaitMs = 100;

struct Counter {
  BareCount count;
  std::int64_t last_offset;
  Clock::time_point last_time;
  bool done = false;
  int error = 0;
};

void Count(rd_kafka_message_t* message, void* opaque) {
  auto& counter = *static_cast<Counter*>(opaque);
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    counter.error = message->err;
    return;
  }
  if (counter.done) return;
  ++counter.count.messages;
  counter.count.bytes += static_cast<std::int64_t>(message->len + message->key_len);
  if (message->offset < counter.last_offset) return;
  counter.done = true;
  counter.last_time = Clock::now();
}

}  // namespace

Result<BareCount> CountMessages(const KafkaSettings& settings, const std::string& topic,
                                std::int32_t partition, Offset first, Offset next,
                                std::chrono::milliseconds idle) {
  const auto began = Clock::now();
  auto opened = kafka::Handle::OpenConsumer(settings, {},
                                            {{"auto.offset.reset", "error"},
                                             {"enable.auto.commit", "false"},
                                             {"isolation.level", "read_committed"}},
                                            {});
  if (!opened.ok()) return opened.status();
  const std::unique_ptr<kafka::Handle> handle = std::move(opened).value();
  auto topic_or = kafka::OpenTopic(*handle, topic);
  if (!topic_or.ok()) return topic_or.status();
  const kafka::Topic of = std::move(topic_or).value();
  auto queue = kafka::PartitionQueue::Start(*handle, of.get(), partition, first);
  if (!queue.ok()) return queue.status();
  Counter counter{{}, next.value - 1, {}};
  Status status;
  auto deadline = Clock::now() + idle;
  while (!counter.done && status.ok()) {
    const std::int64_t before = counter.count.messages;
    queue.value()->Consume(kWaitMs, Count, &counter);
    if (counter.count.messages > before) deadline = Clock::now() + idle;
    if (counter.error != 0) {
      status = kafka::FromError(counter.error, "reading topic \"" + topic + "\"");
    } else if (!counter.done && Clock::now() >= deadline) {
      rd_kafka_poll(handle->get(), 0);
      status = handle->Unavailable("reading topic \"" + topic + "\"");
    }
  }
  if (!status.ok()) return status;
  counter.count.seconds = std::chrono::duration<double>(counter.last_time - began).count();
  return counter.count;
}

}  // namespace lethe
