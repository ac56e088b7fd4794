#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "app/config/config.h"
#include "app/run/ownership.h"
#include "connectors/kafka/cluster.h"
#include "engine/shard/shard.h"
#include "state/durable_state.h"

namespace lethe {

// Decisions that only the operator may take.
struct StartupFenceOptions {
  bool accept_gap = false;  // go on after records that Kafka removed before they were read
  bool begin_anew = false;  // let a new state take a shard for which another one has published
};

// Notes the last record that was read in the state, so that later starts can tell a topic that was
// deleted and created again from the one that was read, even when records of the new one were read
// meanwhile. Durable with the next commit.
void NoteKnownRecord(DurableState& state, const Shard& shard);

// Whether the record has the timestamp `read`. A timestamp that no record may have is read as
// kNoTime.
bool IsTime(const FoundMessage& message, TimeMs read);

// The fence at the start of a shard: it compares the state with the source topic, the receipts
// topic and the marks, and decides whether the state may go on. A state that is older than what was
// published would draw noise again, and two draws for one state can be averaged away. If the topic
// is not the one that was read, the events of the old topic could never be forgotten.
//
// Not thread-safe; one object serves all shards of a process, one after another. Borrows the
// configuration, the cluster and the ownership (which may be null). Every contradiction is kInput
// and says what to do; the state must then not be used. kUnavailable: no broker answered, and the
// call may be repeated.
class StartupFence {
 public:
  StartupFence(const Config& config, KafkaCluster& cluster, std::string cluster_id,
               std::int32_t partitions, const StartupFenceOptions& options,
               Ownership* ownership = nullptr)
      : config_(config),
        cluster_(cluster),
        cluster_id_(std::move(cluster_id)),
        partitions_(partitions),
        options_(options),
        ownership_(ownership) {}

  // Whether the state was made from this topic, cluster and number of partitions; a new state takes
  // note of them. To be called before the shard resumes, because this error is plainer than what
  // the shard would report.
  Status CheckTopic(DurableState& state, ShardId shard);
  // Makes all other comparisons, claims the shard, and sets the offset from which `shard` goes on.
  // The shard has resumed. Returns the first entry of its chain that the receipts topic does not
  // have.
  Result<std::uint64_t> Confirm(const ShardIdentity& identity, DurableState& state, Shard& shard);
  // How many unread records the topic had for the shard of the last Confirm.
  std::int64_t backlog() const { return backlog_; }

 private:
  // Whether the topic still has the offset that the state goes on from.
  Status CheckOffset(Shard& shard, bool is_new);
  // Whether the record at this offset has this timestamp, if it is still there.
  Status CheckRecord(ShardId shard, Offset offset, TimeMs time);
  Status CheckKnownRecord(const DurableState& state, ShardId shard);
  struct Published {
    std::uint64_t first_missing = 0;         // the first entry that the topic does not have
    std::optional<std::string> others = {};  // the state whose chain this one begins after
  };
  // Whether the state is as new as the models that were released from it.
  Status CheckReleased(const ShardIdentity& identity, const Shard& shard);
  // Whether the last published entry of the shard's chain is also in the state.
  Result<Published> CheckPublished(const ShardIdentity& identity, const DurableState& state,
                                   bool is_new);

  const Config& config_;
  KafkaCluster& cluster_;
  const std::string cluster_id_;
  const std::int32_t partitions_;
  const StartupFenceOptions options_;
  Ownership* const ownership_;
  std::int64_t backlog_ = 0;
};

}  // namespace lethe
