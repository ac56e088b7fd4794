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

// Answers to what must never be decided silently.
struct StartupFenceOptions {
  bool accept_gap = false;  // records that were not read are gone: go on behind them
  bool begin_anew = false;  // a new state, although another has published for this shard
};

// Keeps the last record that was read, so that later starts can tell a topic that was made anew
// from the one that was read, even when records of the new one were read meanwhile. Durable with
// the next commit.
void NoteKnownRecord(DurableState& state, const Shard& shard);

// Whether a record has the timestamp that was read of it. Times that no record may have are read as
// none.
bool IsTime(const FoundMessage& message, TimeMs read);

// What the topic and the receipts topic know about a shard: whether its state may go on. A state
// that is older than what was published would draw noise again, and two noises of one state can be
// averaged away; records that are not the ones that were read would never be forgotten. Everything
// that does not fit is kInput, and says what to do.
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

  // Whether the state was made from this topic, cluster and number of partitions. To be asked
  // before the shard resumes: the reason is plainer than what the shard would find.
  Status CheckTopic(DurableState& state, ShardId shard);
  // Compares, claims the shard, and sets where `shard`, which has resumed, goes on. Returns the
  // first entry of its chain that the receipts topic does not have.
  Result<std::uint64_t> Confirm(const ShardIdentity& identity, DurableState& state, Shard& shard);
  // Records that the topic had for the shard of the last Confirm.
  std::int64_t backlog() const { return backlog_; }

 private:
  Status CheckOffset(Shard& shard, bool is_new);
  Status CheckRecord(ShardId shard, Offset offset, TimeMs time);
  Status CheckKnownRecord(const DurableState& state, ShardId shard);
  struct Published {
    std::uint64_t first_missing = 0;         // entry of this chain
    std::optional<std::string> others = {};  // state id, of a chain that this one begins after
  };
  // Whether the state is as new as the models that were released from it.
  Status CheckReleased(const ShardIdentity& identity, const Shard& shard);
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
