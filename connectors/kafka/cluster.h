#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connectors/kafka/found_message.h"
#include "connectors/kafka/log.h"
#include "connectors/kafka/settings.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// What a partition holds: from the start of its log to the last stable offset, which is behind the
// last record that a reader of committed records may see.
struct OffsetRange {
  Offset first;
  Offset next;
};

// Questions to a cluster, for the start and for checks. Every one is answered by a broker, or fails
// with kUnavailable, which names the brokers and the last error, when none answers in time.
// Thread-safe; one question at a time.
class KafkaCluster {
 public:
  using Timeout = std::chrono::milliseconds;

  // Does not wait for a broker.
  static Result<std::unique_ptr<KafkaCluster>> Open(const KafkaSettings& settings, KafkaLog log);
  ~KafkaCluster();
  KafkaCluster(const KafkaCluster&) = delete;
  KafkaCluster& operator=(const KafkaCluster&) = delete;

  Result<std::string> ClusterId(Timeout timeout);

  // None: the topic does not exist. Asking does not create it.
  Result<std::optional<std::int32_t>> PartitionCount(const std::string& topic, Timeout timeout);

  Result<OffsetRange> Range(const std::string& topic, std::int32_t partition, Timeout timeout);

  // The next offset of each of these partitions, all asked for at once.
  Result<std::vector<Offset>> Ends(const std::string& topic,
                                   const std::vector<std::int32_t>& partitions, Timeout timeout);

  // The committed record at exactly this offset, if there is one.
  Result<std::optional<FoundMessage>> At(const std::string& topic, std::int32_t partition,
                                         Offset offset, Timeout timeout);

  // The last committed message with this key of each partition that has one, by partition. Reads
  // backwards, and all of a partition in which the key is not found. None for a topic that does
  // not exist.
  Result<std::vector<FoundMessage>> LastWithKey(const std::string& topic, const std::string& key,
                                                Timeout timeout);

  // Calls `visit` with the committed messages of a partition whose offsets are in the range, in
  // order; gaps are normal. `visit` may return false to end it. kUnavailable when nothing comes for
  // `idle`.
  using Visitor = std::function<bool(const FoundMessage& message)>;
  Status ForEach(const std::string& topic, std::int32_t partition, const OffsetRange& range,
                 Timeout idle, const Visitor& visit);

 private:
  struct Impl;

  explicit KafkaCluster(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
