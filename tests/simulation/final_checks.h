#pragma once

#include "engine/shard/shard.h"
#include "state/durable_state.h"
#include "tests/simulation/run.h"
#include "tests/simulation/worker.h"

namespace lethe::simulation {

// The rules that hold once a run has come to rest. The broken one is thrown as a Violation. Borrows
// everything. One thread.
class FinalChecks {
 public:
  // `random` is what a replay draws from.
  FinalChecks(World& world, RandomSource& random) : world_(world), random_(random) {}

  // Of one shard: its chain is published whole, each request has one receipt, each forgotten
  // request is erased, and a replay of its partition ends with the same model and receipts.
  void Check(const Shard& shard, const DurableState& state, Tally& tally);
  // Of all shards: nothing is left that an earlier request names. After Check of each.
  void CheckForgotten(Tally& tally);

 private:
  void CheckChain(int shard, const DurableState& state);
  void CheckReceipts(const Shard& shard, Tally& tally);
  void CheckReplay(const Shard& shard, Tally& tally);
  void NoteLive(const Shard& shard, const DurableState& state);

  World& world_;
  RandomSource& random_;
  std::vector<std::pair<int, SourceRecord>> live_;  // records whose event is still learned
};

}  // namespace lethe::simulation
