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

// A partition to read, and the offset to begin at. It need not be that of a record.
struct Assignment {
  std::int32_t partition = 0;
  Offset next;
};

// A record that was read.
struct ReadPlace {
  Offset offset;
  TimeMs timestamp = kNoTime;
};

// The first and the last record that were handed out.
struct ReadSpan {
  ReadPlace first;
  ReadPlace last;
};

struct ConsumerOptions {
  bool keep_values = true;  // for MessageBatch::value; dead letters without payload need only keys
};

// The live source: partitions of one topic, in batches, in the order of the offsets. Only committed
// records are seen; offsets may have gaps.
//
// Each partition has one taker at a time, which calls Read. All else is thread-safe.
class KafkaConsumer {
 public:
  static Result<std::unique_ptr<KafkaConsumer>> Start(const KafkaSettings& settings,
                                                      const std::string& topic,
                                                      const std::vector<Assignment>& assignments,
                                                      KafkaLog log, ConsumerOptions options = {});
  ~KafkaConsumer();
  KafkaConsumer(const KafkaConsumer&) = delete;
  KafkaConsumer& operator=(const KafkaConsumer&) = delete;

  // The next messages of a partition, not decoded. False after `timeout` without any. An error is
  // final: an offset outside of the log (kInput, never a reset), a topic that is gone, access
  // denied. A broker that is away is no error: it is told to the log and waited for.
  Result<bool> Read(std::int32_t partition, std::chrono::milliseconds timeout, MessageBatch& batch);

  // Makes the calls that wait return at once, or else the next one that finds nothing.
  void Wake();
  // From now on nothing is found.
  void Stop();

  // From now on nothing is found, and Read says why.
  void Fail(const Status& why);

  // What Read has handed out of a partition; none before the first record.
  std::optional<ReadSpan> ReadSoFar(std::int32_t partition) const;
  // Everything before this offset was taken by Read. Behind the last record there may be
  // offsets that hold none.
  Offset Position(std::int32_t partition) const;
  bool HasMore(std::int32_t partition) const;  // a record is already waiting
  // The last stable offset minus the position; -1 when no broker has said lately where the end is.
  std::int64_t Lag(std::int32_t partition) const;
  std::int64_t Queued(std::int32_t partition) const;  // records that are fetched

  BrokerContact contact() const;

  // Commits to the group, for lag monitors only: nothing here reads it. Asynchronous, errors are
  // ignored, and without a group.id among the properties nothing is done.
  void ReportProgress(std::int32_t partition, Offset next);

 private:
  struct Impl;

  explicit KafkaConsumer(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
