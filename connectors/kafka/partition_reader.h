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

// One partition of the live source. librdkafka fetches ahead in a thread of its own; whoever asks
// for the next messages takes them from there. It reads by librdkafka's simple consumer: no group,
// no coordinator, no rebalance, only an offset to start at.
class PartitionReader {
 public:
  // What one batch takes: so many messages that work per batch costs little, and so few bytes that
  // several batches of large messages do not fill the memory.
  static constexpr std::size_t kMaxMessages = 256;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  struct Options {
    Offset start;
    bool keep_values = true;
    // When librdkafka's queue counts as full: it then sleeps for a second, unless asked something.
    std::int64_t full_messages = 0;
    std::int64_t full_bytes = 0;
    std::function<void()> on_full;
    std::function<void()> on_drained;  // it was full, and half of that is gone
  };

  PartitionReader(Handle& handle, rd_kafka_topic_s* topic, std::string topic_name,
                  std::int32_t partition, Options options);
  // Ends the fetching.
  ~PartitionReader();
  PartitionReader(const PartitionReader&) = delete;
  PartitionReader& operator=(const PartitionReader&) = delete;

  Status Start();

  // For one taker at a time: what there is, up to a full batch, or what comes first; not decoded.
  // False after `timeout`, after Wake, and always after Stop.
  Result<bool> Read(std::chrono::milliseconds timeout, MessageBatch& batch);

  // From any thread.
  void Wake() { queue_->Interrupt(); }
  void Stop();
  // What Read says once it finds nothing more.
  void Fail(Status status);
  // How many messages were fetched and not taken.
  std::int64_t waiting() const { return static_cast<std::int64_t>(queue_->length()); }

  std::int32_t partition() const { return partition_; }
  // The first and the last record that Read has returned.
  std::optional<ReadSpan> read_so_far() const;
  // Behind the last record taken, and behind all that is not for readers.
  Offset position() const;
  // Whether librdkafka has told that the partition is missing, and no record has come since.
  bool seems_missing() const { return seems_missing_.load(); }
  void NotMissing() { seems_missing_ = false; }

  // For the callback of librdkafka.
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

  MessageBatch* batch_ = nullptr;  // that is being filled
  ReadSpan span_;                  // of the batch
  std::int64_t mean_bytes_ = 0;    // of a message, roughly
  bool was_full_ = false;          // and was not drained since

  mutable std::mutex mutex_;
  Status failure_;
  std::optional<ReadSpan> read_so_far_;
  std::atomic<bool> has_failed_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> seems_missing_ = false;
  std::atomic<std::int64_t> taken_;     // behind the last record that was taken
  std::atomic<std::int64_t> end_seen_;  // where librdkafka met the end of the partition
};

}  // namespace lethe::kafka
