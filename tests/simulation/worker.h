#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "app/pipeline/cross_shard_lookup.h"
#include "app/pipeline/model_release.h"
#include "app/pipeline/shard_loop.h"
#include "app/run/live_probe.h"
#include "connectors/batch_source.h"
#include "state/durable_state.h"
#include "tests/simulation/broker.h"
#include "tests/simulation/checks.h"
#include "tests/simulation/spies.h"

namespace lethe::simulation {

class Process;

// Everything outside of the processes. Owns the time, the checks and the broker.
struct World {
  World(const Setup& the_setup, const Plan& the_plan, Defect the_defect, const Hasher& the_hasher,
        RandomSource& source)
      : setup(the_setup),
        plan(the_plan),
        defect(the_defect),
        hasher(the_hasher),
        random(source, the_defect),
        checks(setup, defect, hasher),
        broker(setup, time, checks) {}

  const Setup& setup;
  const Plan& plan;
  const Defect defect;
  const Hasher& hasher;
  WorldTime time;
  SpyRandom random;
  Checks checks;
  Broker broker;
};

// A shard in a simulated process: the product's own loop, commit protocol, lookup, release, shard
// and state, on ports that the simulation provides. It connects them as ShardWorker does. Borrows
// the world and the process. One thread.
class Worker final : private LoopRelease,
                     private LoopOutput,
                     private LoopObserver,
                     private ReleasePort,
                     private Sink,
                     private BatchSource {
 public:
  Worker(int id, World& world, Process& process, Router& router);

  // Does what ShardWorker::Prepare does.
  Status Prepare();
  // Takes up to `records` records. By chance, the work of the eraser thread comes first.
  Status Step(std::int64_t records);
  // Does what ShardWorker::Run does at its end.
  Status Finish();
  void Leave() { lookup_.Leave(); }
  void Serve() { lookup_.Serve(); }

  const Shard& shard() const { return *shard_; }
  const DurableState& state() const { return *state_; }
  // Whether no request is open and everything is published.
  bool is_quiet() const {
    return !lookup_.first_open() && !shard_->has_news() && !shard_->is_deferred();
  }

 private:
  static std::unique_ptr<DurableState> OpenState(Disk& disk);
  Status PublishBacklog();
  Status SendReceipt(std::int64_t entry, ChainKind kind, std::string_view bytes);
  void Send(Outgoing::Topic topic, std::int64_t number, std::string bytes = {});
  Status Release();

  // LoopRelease
  bool NeedsSync() override;
  Status AfterCommit(bool has_news) override;
  Status WhenIdle() override;
  // LoopOutput
  bool wants_dead_letters() const override { return true; }
  Status SendDeadLetter(const DeadLetter& letter) override;
  Status WaitForAll() override;
  Status failure() const override;
  // ReleasePort
  Status WaitForWrites() override;
  Status Mark(ModelVersion version) override;
  Status DestroySnapshotsWith(EventIndex first) override;
  Status AddSnapshot() override;
  void Show() override;
  Status SendModel() override;
  Status SendCleanFrom() override;
  Status WaitForModels() override { return WaitForAll(); }
  // Sink
  Status Publish(ShardId shard, ChainKind kind, std::string_view bytes) override;
  // BatchSource
  Result<bool> Read(MessageBatch& batch) override;
  bool HasMore() const override;
  Offset Reached() const override;

  const int id_;
  World& world_;
  Process& process_;
  ShardFacts& facts_;
  LiveProbe probe_;
  std::unique_ptr<DurableState> state_;
  SpyState spy_state_;
  std::unique_ptr<Shard> shard_;
  CrossShardLookup lookup_;
  SpyLookup spy_lookup_;
  ShardLoop loop_;
  ModelRelease release_;
  LoopBatch batch_;
  std::optional<std::int64_t> backlog_;  // the first entry that is to be published
  std::int64_t backlog_end_ = 0;
  std::int64_t next_entry_ = 0;
  Offset read_;                    // every record before it was read
  std::int64_t most_records_ = 0;  // that the current step may still read
};

}  // namespace lethe::simulation
