#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "connectors/kafka/cluster.h"
#include "connectors/kafka/producer.h"
#include "engine/admission/pseudonymizer.h"
#include "engine/base/status.h"

namespace lethe {

// The ownership of shards by processes, kept as owner records in partition 0 of the receipts topic.
// Two processes that work on one shard would both draw noise for the same deletion, and the two
// draws can be averaged away.
//
// A process claims each of its shards before it learns. A claim says how much of the partition its
// process had seen. Of two claims, the later one counts if its process had seen the earlier claim:
// then the earlier process ends. If it had not, both began at the same moment, and the later
// process ends. Each process can decide this alone from the topic, and never do both go on.
//
// Not thread-safe. Borrows the cluster and the producer. After kInput the process must end; after
// kUnavailable the call may be repeated.
class Ownership {
 public:
  // `instance` is different for every process, also for two that run with copies of one state.
  Ownership(const Config& config, KafkaCluster& cluster, KafkaProducer& producer,
            std::string instance)
      : topic_(*config.publish.receipts_topic),
        source_(config.spec.topic),
        cluster_(cluster),
        producer_(producer),
        instance_(std::move(instance)) {}

  struct Rights {
    bool is_new = false;      // the state has no commit yet
    bool begin_anew = false;  // a new state may take the shard from another state
  };
  // Claims the shard for this process. Returns the id of the other state that the shard was taken
  // from, if there was one. kInput if the shard belongs to another state or process.
  Result<std::optional<std::string>> Claim(const ShardIdentity& identity, Rights rights);

  // Reads the owner records that were published since the last call. kInput if another process has
  // taken over a shard, or if the topic was cut back. Returns early when `stop` returns true.
  Status Follow(const std::function<bool()>& stop);

 private:
  struct OwnerRecord {
    Offset at;
    Offset seen;  // its process had seen every record before this offset
    std::string state;
    std::string instance;
  };
  struct Mine {
    ShardIdentity identity;
    Offset at;
    Offset previous;  // of the owner record that this process sent before
  };

  static std::optional<OwnerRecord> Read(const FoundMessage& message);
  // The owner records of other processes in the range, in the order of the topic.
  Result<std::vector<OwnerRecord>> Others(const std::string& key, OffsetRange range);
  // The owner record that counts now.
  Result<std::optional<OwnerRecord>> Current(const std::string& key);
  // Produces an owner record and waits for its offset.
  Result<Offset> Send(const ShardIdentity& identity, Offset seen);
  // Sends owner records again that are far from the end of the topic, so that the search of a
  // starting process, which goes backwards, finds them soon.
  Status Refresh();

  const std::string topic_;
  const std::string source_;
  KafkaCluster& cluster_;
  KafkaProducer& producer_;
  const std::string instance_;
  std::map<std::string, Mine> mine_;  // by key
  Offset next_{-1};                   // Follow has read every record before it
};

}  // namespace lethe
