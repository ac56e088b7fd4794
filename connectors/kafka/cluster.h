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

// The readable range of a partition: `first` is the start of its log, `next` the last stable
// offset. A reader of committed records sees offsets in [first, next).
struct OffsetRange {
  Offset first;
  Offset next;
};

// A client for queries to a cluster, used at the start and for checks. Thread-safe: a mutex is held
// for the whole query, so a second caller waits for the first. Results are copies. When no broker
// answers in time, a query fails with kUnavailable, naming the brokers and the last error; the
// client stays usable.
class KafkaCluster {
 public:
  using Timeout = std::chrono::milliseconds;

  // kConfig when librdkafka refuses the settings. Does not wait for a broker.
  static Result<std::unique_ptr<KafkaCluster>> Open(const KafkaSettings& settings, KafkaLog log);
  ~KafkaCluster();
  KafkaCluster(const KafkaCluster&) = delete;
  KafkaCluster& operator=(const KafkaCluster&) = delete;

  Result<std::string> ClusterId(Timeout timeout);

  // The number of partitions, or nothing if the topic does not exist. The query does not create it.
  Result<std::optional<std::int32_t>> PartitionCount(const std::string& topic, Timeout timeout);

  Result<OffsetRange> Range(const std::string& topic, std::int32_t partition, Timeout timeout);

  // The last stable offset of each of these partitions, in their order, by one request per leader.
  Result<std::vector<Offset>> Ends(const std::string& topic,
                                   const std::vector<std::int32_t>& partitions, Timeout timeout);

  // The committed message at exactly this offset. Nothing if the offset is outside of the log, or
  // holds no committed message.
  Result<std::optional<FoundMessage>> At(const std::string& topic, std::int32_t partition,
                                         Offset offset, Timeout timeout);

  // For each partition that has one, the last committed message with this key, in order of
  // partition. Searches backwards; a partition without the key is read completely. Empty for a
  // topic that does not exist.
  Result<std::vector<FoundMessage>> LastWithKey(const std::string& topic, const std::string& key,
                                                Timeout timeout);

  // Calls `visit` with each committed message of the range, in order of offset; offsets may have
  // gaps. `visit` runs in the calling thread, must not call this client, and returns false to stop.
  // kUnavailable when no message comes for `idle`.
  using Visitor = std::function<bool(const FoundMessage& message)>;
  Status ForEach(const std::string& topic, std::int32_t partition, const OffsetRange& range,
                 Timeout idle, const Visitor& visit);

 private:
  struct Impl;

  explicit KafkaCluster(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
