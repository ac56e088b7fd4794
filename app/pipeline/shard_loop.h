#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "app/pipeline/commit_policy.h"
#include "app/pipeline/commit_protocol.h"
#include "app/pipeline/loop_ports.h"
#include "engine/ports/clock.h"
#include "engine/shard/shard.h"
#include "state/durable_state.h"

namespace lethe {

// A batch of messages that were read together from a live source.
struct LoopBatch {
  MessageBatch messages;
  TimeMs arrival = kNoTime;  // when they were read, by the wall clock; kNoTime for a recording
  Offset reached;            // every message before it is in this batch or an earlier one
};

// The port that releases a shard's model after a commit. The defaults release nothing. Called by
// the shard's own thread; an error ends the run of the shard.
class LoopRelease {
 public:
  virtual ~LoopRelease() = default;
  // Whether a commit is due, and must be synced, so that a model can be released.
  virtual bool NeedsSync() { return false; }
  // Called after a commit and before its receipts and notices are published. A commit with news
  // is durable by then; another one may still be in the hands of a background thread.
  virtual Status AfterCommit(bool /*has_news*/) { return Status::Ok(); }
  // Called between two commits while nothing is uncommitted.
  virtual Status WhenIdle() { return Status::Ok(); }
};

// The loop of one shard, the same for a live topic and for a recording: take the items of a batch,
// serve what the clock decides, and commit when it is due. A commit releases the model and then
// publishes the receipts; an erasure that is due follows a commit. The live daemon,
// the replay, the benchmarks and the simulation differ only in the ports.
//
// Borrows all ports. One thread at a time. After an error the loop must not be used again; the next
// start goes on from the last commit.
class ShardLoop final : private CommitSteps {
 public:
  struct Ports {
    Shard& shard;
    Clock& clock;
    RequestLookup& lookup;
    LoopOutput& output;
    LoopRelease& release;
    LoopObserver& observer;
    const DurableState* state = nullptr;  // none: the state is in memory, and commits cost nothing
    // Called before each commit, to add notes to the state that belong to it.
    std::function<void()> before_commit = [] {};
  };

  ShardLoop(const Ports& ports, const CommitPolicy& policy)
      : ports_(ports), policy_(policy), commits_(ports.shard, *this) {}

  // Takes a batch of this shard's messages: items, then the clock's decisions, then a commit if one
  // is due. `has_more`: more messages can be read without waiting. Returns whether it committed.
  Result<bool> TakeBatch(LoopBatch& batch, bool has_more);

  // The parts of TakeBatch, for a recording whose shards are interleaved. A replay obeys the
  // recorded times, so it has no part that lets the clock decide. `arrival` as in LoopBatch.
  //
  // Prefetch loads what Take will need of message i into the processor's cache; i may be past the
  // end. Take processes message i. CommitIfDue returns whether it committed.
  void Prefetch(const MessageBatch& messages, std::size_t i) const;
  Status Take(MessageBatch& messages, std::size_t i, TimeMs arrival);
  Result<bool> CommitIfDue(bool has_more);

  // For a recording: what an earlier run did by its clock after the last record (Shard::Obey).
  Status Obey() { return commits_.Obey(); }

  // Commits now, even if nothing is uncommitted.
  Status Commit() { return commits_.Commit(); }
  // At the end of a run: serves requests that wait for nothing but a rewind, and commits if
  // anything is uncommitted.
  Status CommitRest();

  // Whether the next commit has receipts or notices, and is therefore synced.
  bool has_news() const { return ports_.shard.has_news(); }
  std::int64_t uncommitted() const { return uncommitted_; }

 private:
  Status TakeItems(LoopBatch& batch);
  // Serves requests and erasures that are due by the clock, whatever the records' timestamps say.
  Status Tick();
  Status SendDeadLetter(const MessageBatch& messages, std::size_t i);
  Status DeliverOutgoing() override;
  bool NeedsSync() override { return ports_.release.NeedsSync(); }
  Status Release(bool has_news) override;

  const Ports ports_;
  const CommitPolicy policy_;
  CommitProtocol commits_;
  std::optional<LookupResult> lookup_result_;  // its buffers are reused
  std::int64_t uncommitted_ = 0;               // records
  std::int64_t first_uncommitted_ns_ = 0;      // when the oldest of them was taken
  std::int64_t dead_letters_ = 0;              // sent since the last commit
  std::int64_t commit_start_ns_ = 0;
  std::int64_t next_news_ns_ = 0;  // when the next receipts and notices may be committed under load
  std::int64_t last_record_ns_ = 0;
  std::int64_t ticked_ns_ = 0;
  bool is_loaded_ = false;  // as of the last batch
};

}  // namespace lethe
