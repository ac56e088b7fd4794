#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "connectors/binary/event_codec.h"
#include "connectors/json/event_codec.h"
#include "connectors/kafka/batch_ring.h"
#include "connectors/kafka/handle.h"
#include "connectors/kafka/partition_queue.h"

struct rd_kafka_message_s;

namespace lethe::kafka {

// One partition of the live source: a thread that consumes by callback, decodes, and hands batches
// over. A batch goes when it is full, or when there is nothing more to add to it right now.
//
// It reads by librdkafka's simple consumer: no group, no coordinator, no rebalance, only an offset
// to start at.
class PartitionReader {
 public:
  struct Options {
    Offset start;
    bool keep_values = true;
    // When librdkafka's queue counts as full: it then sleeps for a second, unless asked something.
    std::int64_t full_messages = 0;
    std::int64_t full_bytes = 0;
    std::function<void()> on_full;
  };

  PartitionReader(Handle& handle, rd_kafka_topic_s* topic, std::string topic_name,
                  std::int32_t partition, Options options);
  ~PartitionReader();
  PartitionReader(const PartitionReader&) = delete;
  PartitionReader& operator=(const PartitionReader&) = delete;

  Status Start();
  // Ends the thread and the fetching. The ring keeps what is in it.
  void Stop();

  // For the taker.
  Result<RecordBatch*> Next(std::chrono::milliseconds timeout);
  BatchRing& ring() { return ring_; }
  const BatchRing& ring() const { return ring_; }

  std::int32_t partition() const { return partition_; }
  // Behind the last record handed out; behind all that is not for readers, if nothing is queued.
  Offset position() const;
  // Whether librdkafka has told that the partition is missing, and no record has come since.
  bool seems_missing() const { return seems_missing_.load(); }
  void NotMissing() { seems_missing_ = false; }
  void Fail(Status status) { ring_.Fail(std::move(status)); }

  // For the callback of librdkafka.
  void OnMessage(rd_kafka_message_s* message);

 private:
  void Run();
  void OnError(const rd_kafka_message_s* message);
  void Append(const rd_kafka_message_s* message);
  void HandOver();
  void NoteFullness(std::int64_t taken);
  std::string Describe() const;

  Handle& handle_;
  rd_kafka_topic_s* const topic_;
  const std::string topic_name_;
  const std::int32_t partition_;
  const Options options_;
  std::unique_ptr<PartitionQueue> queue_;

  BatchRing ring_;
  JsonEventCodec json_;
  BinaryEventCodec binary_;
  RecordBatch* batch_ = nullptr;  // being filled
  std::int64_t mean_bytes_ = 0;   // of a message, roughly
  bool failed_ = false;

  std::atomic<bool> stopping_ = false;
  std::atomic<bool> seems_missing_ = false;
  std::atomic<std::int64_t> taken_;     // behind the last record that Next returned
  std::atomic<std::int64_t> end_seen_;  // where librdkafka met the end of the partition
  std::thread thread_;
};

}  // namespace lethe::kafka
