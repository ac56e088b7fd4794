#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "connectors/kafka/consumer.h"
#include "connectors/kafka/handle.h"
#include "connectors/kafka/partition_queue.h"
#include "connectors/message_batch.h"

struct rd_kafka_message_s;

namespace lethe::kafka {

// The reader of one partition of a KafkaConsumer. librdkafka fetches ahead in its own thread, and
// Read takes messages from its queue. It uses librdkafka's simple consumer: there is no group, no
// coordinator and no rebalance, only an offset to start at.
//
// Read may be called by one thread at a time; Wake, Stop, Fail and the accessors are thread-safe.
// Borrows the handle and the topic, which must outlive it. The first failure is kept and returned
// by every later Read.
class PartitionReader {
 public:
  // Limits of one batch: enough messages to make the cost per batch small, and so few bytes that
  // several batches of large messages do not fill the memory.
  static constexpr std::size_t kMaxMessages = 256;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  struct Options {
    Offset start;
    bool keep_values = true;
    // Sizes at which librdkafka's queue counts as full. It then stops fetching and sleeps for a
    // second, unless a request wakes it. Both functions are called by the thread that calls Read.
    std::int64_t full_messages = 0;
    std::int64_t full_bytes = 0;
    std::function<void()> on_full;
    std::function<void()> on_drained;  // the queue was full, and is now less than half full
  };

  PartitionReader(Handle& handle, rd_kafka_topic_s* topic, std::string topic_name,
                  std::int32_t partition, Options options);
  // Stops fetching. No Read may be running.
  ~PartitionReader();
  PartitionReader(const PartitionReader&) = delete;
  PartitionReader& operator=(const PartitionReader&) = delete;

  // Begins to fetch. Must be called, and succeed, before all methods but Stop.
  Status Start();

  // Replaces the batch with the queued messages, up to a full batch, or waits for the first ones.
  // Returns false after `timeout`, after Wake, and always after Stop.
  Result<bool> Read(std::chrono::milliseconds timeout, MessageBatch& batch);

  // Makes a waiting Read return false; if none waits, the next one that finds nothing does.
  void Wake() { queue_->Interrupt(); }
  void Stop();
  // Makes the waiting and every later Read return `status`, unless there was an earlier failure.
  void Fail(Status status);
  // The number of messages fetched and not yet read.
  std::int64_t waiting() const { return static_cast<std::int64_t>(queue_->length()); }

  std::int32_t partition() const { return partition_; }
  // The first and the last record that Read has returned.
  std::optional<ReadSpan> read_so_far() const;
  // The offset after the last record that Read has returned, or the end of the partition if
  // librdkafka has met it. Offsets in between hold no records for readers.
  Offset position() const;
  // Whether librdkafka has reported the partition as missing, and no record has come since.
  bool seems_missing() const { return seems_missing_.load(); }
  void NotMissing() { seems_missing_ = false; }

  // The callback of librdkafka, inside Read.
  void OnMessage(rd_kafka_message_s* message);

 private:
  void OnError(const rd_kafka_message_s* message);
  void Append(const rd_kafka_message_s* message);
  void NoteFullness(std::int64_t taken);
  Status failure() const;
  std::string Describe() const;

  Handle& handle_;
  rd_kafka_topic_s* const topic_;
  const std::string topic_name_;
  const std::int32_t partition_;
  const Options options_;
  std::unique_ptr<PartitionQueue> queue_;

  // Used by the thread that calls Read only.
  MessageBatch* batch_ = nullptr;  // the batch that Read fills
  ReadSpan span_;                  // the first and last record in it
  std::int64_t mean_bytes_ = 0;    // a moving average of the size of a message
  bool was_full_ = false;          // the queue was full, and not drained since

  mutable std::mutex mutex_;
  Status failure_;
  std::optional<ReadSpan> read_so_far_;
  std::atomic<bool> has_failed_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> seems_missing_ = false;
  std::atomic<std::int64_t> taken_;     // the offset after the last record that Read returned
  std::atomic<std::int64_t> end_seen_;  // the offset at which librdkafka met the end
};

}  // namespace lethe::kafka
