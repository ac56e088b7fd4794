#include "connectors/kafka/partition_reader.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "connectors/kafka/errors.h"
#include "connectors/kafka/reroute_header.h"
#include "connectors/record_limits.h"

namespace lethe::kafka {

namespace {

constexpr std::chrono::milliseconds kUnknownWait{20};

void MessageCallback(rd_kafka_message_t* message, void* reader) {
  static_cast<PartitionReader*>(reader)->OnMessage(message);
}

// An empty key or value is not the same as none.
std::optional<std::string_view> Bytes(const void* data, std::size_t size) {
  if (data == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(data), size);
}

bool HasHeader(const rd_kafka_message_t* message, const char* name) {
  rd_kafka_headers_t* headers = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  return rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR &&
         rd_kafka_header_get_last(headers, name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
}

void SetTimestamp(const rd_kafka_message_t* message, Position& position) {
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  const std::int64_t time = rd_kafka_message_timestamp(message, &type);
  const bool known = type != RD_KAFKA_TIMESTAMP_NOT_AVAILABLE && time >= 0 && time <= kMaxTimeMs;
  position.timestamp = known ? TimeMs{time} : kNoTime;
  position.is_broker_time = known && type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME;
}

}  // namespace

PartitionReader::PartitionReader(Handle& handle, rd_kafka_topic_s* topic, std::string topic_name,
                                 std::int32_t partition, Options options)
    : handle_(handle),
      topic_(topic),
      topic_name_(std::move(topic_name)),
      partition_(partition),
      options_(std::move(options)),
      taken_(options_.start.value),
      end_seen_(options_.start.value) {}

PartitionReader::~PartitionReader() = default;

Status PartitionReader::Start() {
  auto queue = PartitionQueue::Start(handle_, topic_, partition_, options_.start);
  if (!queue.ok()) return queue.status();
  queue_ = std::move(queue).value();
  return Status::Ok();
}

void PartitionReader::Stop() {
  stopping_ = true;
  if (queue_ != nullptr) queue_->Interrupt();
}

void PartitionReader::Fail(Status status) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_.ok()) failure_ = std::move(status);
  }
  has_failed_ = true;
  Wake();
}

Status PartitionReader::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

Result<bool> PartitionReader::Read(std::chrono::milliseconds timeout, MessageBatch& batch) {
  using std::chrono::milliseconds;
  const auto end = std::chrono::steady_clock::now() + timeout;
  batch.Clear(kMaxMessages);
  batch.KeepValues(options_.keep_values);
  batch_ = &batch;
  for (milliseconds left = timeout; !stopping_ && !has_failed_;
       left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now())) {
    if (left < timeout && left <= milliseconds(0)) break;
    const int consumed = queue_->Consume(static_cast<int>(left.count()), MessageCallback, this);
    if (consumed > 0) NoteFullness(consumed);
    // librdkafka does not know the partition yet, or not any more.
    if (consumed < 0) std::this_thread::sleep_for(std::min(left, kUnknownWait));
    // 0: the timeout, or Wake. Otherwise an empty batch means that only errors or the end came.
    if (batch.size() > 0 || consumed == 0) break;
  }
  if (batch.size() > 0) {
    taken_ = batch.position(batch.size() - 1).offset.value + 1;
    const std::lock_guard lock(mutex_);
    read_so_far_ = {read_so_far_ ? read_so_far_->first : span_.first, span_.last};
    return true;
  }
  if (has_failed_ && !stopping_) return failure();
  return false;
}

std::optional<ReadSpan> PartitionReader::read_so_far() const {
  const std::lock_guard lock(mutex_);
  return read_so_far_;
}

Offset PartitionReader::position() const {
  return Offset{std::max(taken_.load(), end_seen_.load())};
}

void PartitionReader::OnMessage(rd_kafka_message_s* message) {
  if (stopping_.load(std::memory_order_relaxed) || has_failed_.load(std::memory_order_relaxed)) {
    return;
  }
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) return OnError(message);
  if (seems_missing_.load(std::memory_order_relaxed)) seems_missing_ = false;
  Append(message);
  if (batch_->size() >= kMaxMessages || batch_->copied_bytes() >= kMaxBytes)
    rd_kafka_yield(handle_.get());
}

void PartitionReader::Append(const rd_kafka_message_s* message) {
  const auto value = Bytes(message->payload, message->len);
  // Only a delete can have the header. Learns are not searched, because librdkafka allocates to
  // parse headers.
  const bool is_learn = value && MessageBatch::BeginsAsLearn(*value);
  const bool is_rerouted = !is_learn && HasHeader(message, kRerouteHeader);
  Position position{.offset = Offset{message->offset}};
  SetTimestamp(message, position);
  span_.last = {position.offset, position.timestamp};
  if (batch_->size() == 0) span_.first = span_.last;
  const std::size_t bytes = message->len + message->key_len;
  mean_bytes_ += (static_cast<std::int64_t>(bytes) - mean_bytes_) / 16;
  batch_->AddMessage(ShardId{partition_}, position, is_rerouted,
                     Bytes(message->key, message->key_len), value);
}

// librdkafka recovers from most errors by itself and reads on; those are logged. The errors that
// end in Fail do not go away.
void PartitionReader::OnError(const rd_kafka_message_s* message) {
  const int error = message->err;
  const std::string detail = rd_kafka_message_errstr(message);
  if (error == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    end_seen_ = message->offset;
    seems_missing_ = false;
    return;
  }
  // A broker that has just started may not know its topics yet: the WatermarkPoller asks again.
  if (IsMissingTopic(error)) {
    seems_missing_ = true;
    return;
  }
  Status status;
  if (error == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
      error == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE) {
    status = {ErrorCode::kInput,
              "Kafka: offset " + std::to_string(message->offset) + " of " + Describe() +
                  " is not in the log: records were removed before they were read (retention), or "
                  "this is another topic of the same name"};
  } else if (IsDenied(error)) {
    status = FromError(error, "cannot read " + Describe(), detail);
  } else if (error == RD_KAFKA_RESP_ERR__BAD_MSG || error == RD_KAFKA_RESP_ERR__BAD_COMPRESSION ||
             error == RD_KAFKA_RESP_ERR_INVALID_MSG || error == RD_KAFKA_RESP_ERR__FATAL ||
             error == RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED) {
    status = {ErrorCode::kInput, "Kafka: cannot read on in " + Describe() + " at offset " +
                                     std::to_string(message->offset) + ": " + detail};
  } else {
    return handle_.log().Tell("kafka: " + Describe() + ": " + detail);
  }
  Fail(std::move(status));
}

// Tells the WatermarkPoller when librdkafka may have gone to sleep because its queue was full, and
// when the queue has room again, so that the poller wakes it. The messages just taken count too:
// the queue may have been full until this moment. librdkafka does not tell the bytes in its queue,
// so they are estimated as the number of messages times their mean size. "Drained" means less than
// half full, so that the two events cannot alternate with every batch.
void PartitionReader::NoteFullness(std::int64_t taken) {
  if (!options_.on_full) return;
  const auto is_full = [this](std::int64_t messages) {
    return messages >= options_.full_messages || messages * mean_bytes_ >= options_.full_bytes;
  };
  const std::int64_t left = waiting();
  if (is_full(left + taken)) {
    was_full_ = true;
    options_.on_full();
  }
  if (was_full_ && !is_full(2 * left)) {
    was_full_ = false;
    options_.on_drained();
  }
}

std::string PartitionReader::Describe() const {
  return "partition " + std::to_string(partition_) + " of topic \"" + topic_name_ + "\"";
}

}  // namespace lethe::kafka
