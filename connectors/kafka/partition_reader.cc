#include "connectors/kafka/partition_reader.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "connectors/kafka/errors.h"
#include "connectors/kafka/placed.h"
#include "connectors/record_limits.h"

namespace lethe::kafka {

namespace {

constexpr int kIdleWaitMs = 100;

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

std::int64_t MonotonicNs() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

TimeMs Timestamp(const rd_kafka_message_t* message) {
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  const std::int64_t time = rd_kafka_message_timestamp(message, &type);
  const bool known = type != RD_KAFKA_TIMESTAMP_NOT_AVAILABLE && time >= 0 && time <= kMaxTimeMs;
  return known ? TimeMs{time} : kNoTime;
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

PartitionReader::~PartitionReader() { Stop(); }

Status PartitionReader::Start() {
  auto queue = PartitionQueue::Start(handle_, topic_, partition_, options_.start);
  if (!queue.ok()) return queue.status();
  queue_ = std::move(queue).value();
  thread_ = std::thread([this] { Run(); });
  return Status::Ok();
}

void PartitionReader::Stop() {
  stopping_ = true;
  ring_.Stop();
  if (queue_ != nullptr) queue_->Interrupt();
  if (thread_.joinable()) thread_.join();
  queue_.reset();
}

Result<RecordBatch*> PartitionReader::Next(std::chrono::milliseconds timeout) {
  auto batch = ring_.Pop(timeout);
  if (batch.ok() && batch.value() != nullptr) {
    const RecordBatch& taken = *batch.value();
    taken_ = taken.records[taken.count - 1].offset.value + 1;
  }
  return batch;
}

Offset PartitionReader::position() const {
  const std::int64_t end = end_seen_.load();
  const std::int64_t taken = taken_.load();
  return Offset{ring_.empty() ? std::max(taken, end) : taken};
}

void PartitionReader::Run() {
  while (!stopping_) {
    const bool waiting = batch_ != nullptr && batch_->count > 0;
    // When the taker has nothing to do it gets what there is. When it is busy, a millisecond may
    // make a larger batch, and costs nothing.
    const int timeout = waiting ? (ring_.empty() ? 0 : 1) : kIdleWaitMs;
    const int consumed = queue_->Consume(timeout, MessageCallback, this);
    if (consumed > 0) {
      NoteFullness(consumed);
    } else if (waiting) {
      HandOver();
    } else if (consumed < 0) {
      // The partition is not known yet, or not any more.
      std::this_thread::sleep_for(std::chrono::milliseconds(kIdleWaitMs));
    }
  }
}

void PartitionReader::OnMessage(rd_kafka_message_s* message) {
  if (stopping_ || failed_) return;
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) return OnError(message);
  if (seems_missing_.load(std::memory_order_relaxed)) seems_missing_ = false;
  Append(message);
}

void PartitionReader::Append(const rd_kafka_message_s* message) {
  if (batch_ == nullptr) batch_ = ring_.TakeFree();
  if (batch_ == nullptr) return;  // stopped
  const auto key = Bytes(message->key, message->key_len);
  const auto value = Bytes(message->payload, message->len);
  if (batch_->count == 0) batch_->decoded_ns = 0;
  Record& record = batch_->Slot();
  record.shard = ShardId{partition_};
  record.offset = Offset{message->offset};
  record.timestamp = Timestamp(message);
  record.rejection = value && BinaryEventCodec::IsMessage(*value)
                         ? binary_.DecodeValue(value, key, record.event)
                         : json_.DecodeValue(value, key, record.event);
  record.is_placed = !record.rejection && record.event.kind == EventKind::kDelete &&
                     HasHeader(message, kPlacedHeader);
  const bool is_request =
      record.rejection ? record.rejection->is_request : record.event.kind != EventKind::kLearn;
  if (is_request && batch_->decoded_ns == 0) batch_->decoded_ns = MonotonicNs();
  const std::size_t bytes = message->len + message->key_len;
  mean_bytes_ += (static_cast<std::int64_t>(bytes) - mean_bytes_) / 16;
  batch_->Add(key, value, bytes, options_.keep_values);
  // Small batches when the learner is behind, so that a deletion has little before it; larger ones
  // when it is not, since each wakes it up.
  const bool is_half = batch_->count == RecordBatch::kMaxRecords / 2;
  if (batch_->IsFull() || (is_half && !ring_.empty())) HandOver();
}

void PartitionReader::HandOver() {
  if (batch_ == nullptr || batch_->count == 0) return;
  ring_.Push(std::exchange(batch_, nullptr));
}

// librdkafka reads on after most errors, from where it was. These are the ones that do not heal.
void PartitionReader::OnError(const rd_kafka_message_s* message) {
  const int error = message->err;
  const std::string detail = rd_kafka_message_errstr(message);
  if (error == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    // Records in the ring or in the batch come before it; position() minds that.
    HandOver();
    end_seen_ = message->offset;
    seems_missing_ = false;
    return;
  }
  // A broker that has just started may not know its topics yet: the ticker asks again.
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
  HandOver();
  failed_ = true;
  ring_.Fail(std::move(status));
}

// What was just taken counts too: the queue may have been full only until then, and librdkafka
// went to sleep for it.
void PartitionReader::NoteFullness(std::int64_t taken) {
  if (!options_.on_full) return;
  const std::int64_t messages = taken + static_cast<std::int64_t>(queue_->length());
  if (messages >= options_.full_messages || messages * mean_bytes_ >= options_.full_bytes) {
    options_.on_full();
  }
}

std::string PartitionReader::Describe() const {
  return "partition " + std::to_string(partition_) + " of topic \"" + topic_name_ + "\"";
}

}  // namespace lethe::kafka
