#pragma once

#include "engine/shard/shard.h"

namespace lethe {

// The port of a commit: the steps around Shard::Commit. The defaults are for programs that run a
// shard without topics. Called by the thread that commits. An error of a step ends the commit, and
// the shard must not be used again.
class CommitSteps {
 public:
  virtual ~CommitSteps() = default;

  // Returns ok when everything before the shard's offset that has to go elsewhere has arrived
  // there: dead letters, and requests that other shards must serve. Notes that belong to the commit
  // are added to the state here too.
  virtual Status DeliverOutgoing() { return Status::Ok(); }
  // Whether the commit has to survive a crash of the machine although it has no news, because a
  // model with random draws is released after it.
  virtual bool NeedsSync() { return false; }
  // Releases the model of the commit, whose news is not published yet. `has_news`: the commit has
  // receipts or notices, and is durable. A commit without news may still be in the hands of a
  // background thread.
  virtual Status Release(bool /*has_news*/) { return Status::Ok(); }
};

// The commit protocol: the only code that commits a shard. In this order:
//
//   1. DeliverOutgoing   Dead letters and requests for other shards are acknowledged. The offset
//                        that the commit stores is behind them, so a restart would not send them
//                        again.
//   2. Shard::Commit     One atomic write: offset, model, ledger, events, receipts. If there are
//                        receipts or notices, or if NeedsSync says so, it is synced and durable on
//                        return. Otherwise a background thread may still be writing it. No other
//                        call stores an offset.
//   3. Release           The model of the commit is shown and sent. Snapshots that knew a deleted
//                        event are destroyed before.
//   4. Shard::Publish    The receipts and notices of the commit are published. A receipt speaks of
//                        the model of step 3, so the reader of a receipt never finds an older
//                        model.
//   5. Shard::Erase      Only where an erasure is due: bytes that the commit of step 2 no longer
//                        needs leave the disk. The notice of it belongs to the next commit.
//
// A crash after step 1 sends dead letters and passed-on requests again. A crash after step 2
// releases and publishes at the next start. A crash after step 3 or 4 repeats nothing but what
// readers can recognise as a repetition.
//
// Borrows the shard and the steps. Not thread-safe. After an error neither the protocol nor the
// shard may be used again: the next start goes on from the last commit.
class CommitProtocol {
 public:
  CommitProtocol(Shard& shard, CommitSteps& steps) : shard_(shard), steps_(steps) {}

  // Takes the next item, as Shard::Process does. If an erasure is due before it, everything up to
  // the item before is committed and erased first.
  Status Process(const Position& position, const Item& item, const LookupResult* lookup = nullptr);
  // Commits and erases if an erasure is due by the clock, then calls Shard::ServeByTimer.
  // `is_silent`: no record has come for a while, so the clock also decides on requests that wait
  // for event time.
  Status ServeByTimer(const ClockReading& now, bool is_silent);
  // For a replay that obeys the decisions of an earlier run: what happened after the last record
  // and before the next one. Does nothing if the shard obeys none.
  Status Obey();
  // Steps 1 to 4.
  Status Commit();

 private:
  Status CommitAndErase(const std::optional<ClockReading>& by_timer);

  Shard& shard_;
  CommitSteps& steps_;
};

}  // namespace lethe
