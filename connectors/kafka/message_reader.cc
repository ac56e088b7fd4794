#include "connectors/kafka/message_reader.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>

#include "connectors/kafka/errors.h"
#include "connectors/kafka/partition_queue.h"

namespace lethe::kafka {

namespace {

// Passes messages on to `visit` until the end of the range or an error that will not go away.
struct Visitor {
  const std::function<bool(const rd_kafka_message_t&)>& visit;
  Offset next;
  std::string what;
  RateLimitedLog& log;
  bool done = false;
  Status status;

  void Take(const rd_kafka_message_t& message) {
    if (done) return;
    if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      done = message.offset >= next.value || !visit(message) || message.offset + 1 == next.value;
    } else if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      // The offsets up to the end hold no records for readers: aborted ones, and markers.
      done = message.offset >= next.value;
    } else if (message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
      done = true;
      status = {ErrorCode::kInput, "Kafka: " + what + ": offset " + std::to_string(message.offset) +
                                       " is not in the log any more"};
    } else if (IsDenied(message.err) || IsMissingTopic(message.err)) {
      done = true;
      status = FromError(message.err, what);
    } else {
      log.Tell("kafka: " + what + ": " + rd_kafka_message_errstr(&message));
    }
  }

  static void Callback(rd_kafka_message_t* message, void* self) {
    static_cast<Visitor*>(self)->Take(*message);
  }
};

}  // namespace

int TimeLeft(Deadline deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000'000));
}

Status ReadMessages(Handle& handle, rd_kafka_topic_s* topic, std::int32_t partition, Offset first,
                    Offset next, const Deadline& deadline,
                    const std::function<bool(const rd_kafka_message_s&)>& visit) {
  if (first >= next) return Status::Ok();
  const std::string what = "reading partition " + std::to_string(partition) + " of topic \"" +
                           rd_kafka_topic_name(topic) + "\"";
  auto queue = PartitionQueue::Start(handle, topic, partition, first);
  if (!queue.ok()) return queue.status();
  Visitor visitor{visit, next, what, handle.log(), false, Status::Ok()};
  while (!visitor.done) {
    const int left = TimeLeft(deadline);
    if (left == 0) {
      visitor.status = handle.Unavailable(what);
      break;
    }
    rd_kafka_poll(handle.get(), 0);
    queue.value()->Consume(std::min(left, 100), Visitor::Callback, &visitor);
  }
  return visitor.status;
}

FoundMessage CopyMessage(const rd_kafka_message_s& message) {
  const auto copy = [](const void* data, std::size_t size) -> std::optional<std::string> {
    if (data == nullptr) return std::nullopt;
    return std::string(static_cast<const char*>(data), size);
  };
  FoundMessage found;
  found.partition = message.partition;
  found.offset = Offset{message.offset};
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  const std::int64_t time = rd_kafka_message_timestamp(&message, &type);
  if (type != RD_KAFKA_TIMESTAMP_NOT_AVAILABLE && time >= 0) found.timestamp = TimeMs{time};
  found.is_broker_time = found.timestamp != kNoTime && type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME;
  found.key = copy(message.key, message.key_len);
  found.value = copy(message.payload, message.len);
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
    const char* name = nullptr;
    const void* value = nullptr;
    std::size_t size = 0;
    for (std::size_t i = 0;
         rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
         ++i) {
      found.headers.emplace_back(name, copy(value, size).value_or(""));
    }
  }
  return found;
}

}  // namespace lethe::kafka
