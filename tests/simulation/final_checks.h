#pragma once

#include "engine/shard/shard.h"
#include "state/durable_state.h"
#include "tests/simulation/run.h"
#include "tests/simulation/worker.h"

namespace lethe::simulation {

// The rules that hold at the end of a run, when everything has come to rest. A broken rule is
// thrown as a Violation. Borrows the world and the random source. Not thread-safe.
class FinalChecks {
 public:
  // `random` is the random source of the replay.
  FinalChecks(World& world, RandomSource& random) : world_(world), random_(random) {}

  // Checks one shard: its chain is published completely, each request has one receipt, each
  // forgotten request is erased, and a replay of its partition ends with the same model and
  // receipts.
  void Check(const Shard& shard, const DurableState& state, Tally& tally);
  // Checks all shards together: no event is left that an earlier request names. To be called after
  // Check of each shard.
  void CheckForgotten(Tally& tally);

 private:
  void CheckChain(int shard, const DurableState& state);
  void CheckReceipts(const Shard& shard, Tally& tally);
  void CheckReplay(const Shard& shard, Tally& tally);
  // A replay that obeys the published chain writes that chain, whatever the clock decided.
  void CheckObedientReplay(const Shard& shard, Tally& tally);
  void NoteLive(const Shard& shard, const DurableState& state);

  World& world_;
  RandomSource& random_;
  std::vector<std::pair<int, SourceRecord>> live_;  // records whose event is still learned
};

}  // namespace lethe::simulation
