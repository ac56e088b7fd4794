#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connectors/kafka/contact.h"
#include "connectors/kafka/log.h"
#include "connectors/kafka/settings.h"
#include "connectors/message_batch.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// A partition to read, and the offset to begin at. There need not be a record at that offset.
struct Assignment {
  std::int32_t partition = 0;
  Offset next;
};

// The position of a record that Read has returned.
struct ReadPlace {
  Offset offset;
  TimeMs timestamp = kNoTime;
};

// The first and the last record that Read has returned.
struct ReadSpan {
  ReadPlace first;
  ReadPlace last;
};

struct ConsumerOptions {
  bool keep_values = true;  // see MessageBatch::KeepValues
};

// A consumer of assigned partitions of one topic, without a consumer group. It returns committed
// records only, in batches and in order of offset; offsets may have gaps.
//
// Read may be called by one thread at a time for each partition; all other methods are thread-safe.
// The consumer owns its threads and stops them when it is destroyed; no Read may be running then. A
// `partition` argument must be one of the assignments. An error of Read is final for its partition:
// every later Read of it returns the same error.
class KafkaConsumer {
 public:
  // Begins to fetch. kConfig when librdkafka refuses the settings. Does not wait for a broker.
  // `assignments` is not empty and names no partition twice.
  static Result<std::unique_ptr<KafkaConsumer>> Start(const KafkaSettings& settings,
                                                      const std::string& topic,
                                                      const std::vector<Assignment>& assignments,
                                                      KafkaLog log, ConsumerOptions options = {});
  ~KafkaConsumer();
  KafkaConsumer(const KafkaConsumer&) = delete;
  KafkaConsumer& operator=(const KafkaConsumer&) = delete;

  // Replaces the batch with the next messages of a partition. Returns false when none comes within
  // `timeout`. Errors: the offset is outside of the log or the topic is gone (kInput; the offset is
  // never reset), or access is denied (kConfig). An unreachable broker is not an error: it is
  // logged, and Read keeps waiting.
  Result<bool> Read(std::int32_t partition, std::chrono::milliseconds timeout, MessageBatch& batch);

  // Makes every waiting Read return false at once. If none waits, the next Read that finds nothing
  // does.
  void Wake();
  // Ends all reading for good: every Read, waiting or later, returns false.
  void Stop();

  // Ends all reading for good: every Read, waiting or later, returns `why`, or the earlier error of
  // its partition.
  void Fail(const Status& why);

  // The records of a partition that Read has returned; nothing before the first one.
  std::optional<ReadSpan> ReadSoFar(std::int32_t partition) const;
  // Every record before this offset was returned by Read. Offsets after the last record may hold no
  // record, so this can be more than one above it.
  Offset Position(std::int32_t partition) const;
  bool HasMore(std::int32_t partition) const;  // a record is fetched and not yet read
  // The last stable offset minus the position; -1 when the end is unknown
  // (WatermarkPoller::kFresh).
  std::int64_t Lag(std::int32_t partition) const;
  std::int64_t Queued(std::int32_t partition) const;  // records fetched and not yet read

  BrokerContact contact() const;

  // Commits the offset to the group, for lag monitors only: Lethe never reads it back.
  // Asynchronous; errors are ignored. Does nothing without a group.id among the properties.
  void ReportProgress(std::int32_t partition, Offset next);

 private:
  struct Impl;

  explicit KafkaConsumer(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
