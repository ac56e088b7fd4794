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

// Who works on a shard, by owner records in partition 0 of the receipts topic: two processes that
// work on one shard would both draw noise for the same deletion, and the two can be averaged away.
//
// A process claims each of its shards before it learns. A claim says how much of the partition its
// process had seen. Of two claims, the later one counts if it had seen the earlier: then the
// earlier process ends. If it had not, both began at the same moment, and the later process ends.
// So each can tell by itself, and never do both go on. Not thread-safe.
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
    bool begin_anew = false;  // and may take the shard from another state
  };
  // kInput if somebody else owns the shard. Otherwise the state that the shard was taken from, or
  // none. After kUnavailable it may be called again.
  Result<std::optional<std::string>> Claim(const ShardIdentity& identity, Rights rights);

  // Reads what was published since the last call: kInput when another process owns a shard now.
  // `stop` is asked now and then, and ends it early.
  Status Follow(const std::function<bool()>& stop);

 private:
  struct OwnerRecord {
    Offset at;
    Offset seen;  // its process had seen everything before
    std::string state;
    std::string instance;
  };
  struct Mine {
    ShardIdentity identity;
    Offset at;
    Offset previous;  // the one before it of the same process
  };

  static std::optional<OwnerRecord> Read(const FoundMessage& message);
  // Those of others, in the order of the topic.
  Result<std::vector<OwnerRecord>> Others(const std::string& key, OffsetRange range);
  Result<std::optional<OwnerRecord>> Current(const std::string& key);
  Result<Offset> Send(const ShardIdentity& identity, Offset seen);
  // Our records stay near the end of the topic, where a start finds them soon.
  Status Refresh();

  const std::string topic_;
  const std::string source_;
  KafkaCluster& cluster_;
  KafkaProducer& producer_;
  const std::string instance_;
  std::map<std::string, Mine> mine_;  // by key
  Offset next_{-1};                   // all before it was followed
};

}  // namespace lethe
