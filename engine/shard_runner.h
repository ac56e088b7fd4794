#pragma once

#include "engine/shard.h"

namespace lethe {

// What a program does around the commits of a shard.
class CommitHooks {
 public:
  virtual ~CommitHooks() = default;

  // A commit stores the offset that a restart goes on from. Returns ok when everything before that
  // offset that has to go elsewhere has arrived there: dead letters, and requests for other shards.
  virtual Status BeforeCommit() { return Status::Ok(); }
  // Whether the commit has to survive a crash of the machine although it has no news: because a
  // model with random draws is released after it.
  virtual bool NeedsSync() { return false; }
  // Everything up to now is durable, and its news is not published yet. Here the program releases
  // the model: the news is published only after this has returned ok, so nobody sees a receipt
  // while an older model is served. `has_news`: there are receipts or notices.
  virtual Status AfterCommit(bool /*has_news*/) { return Status::Ok(); }
};

// Feeds a shard. The only owner of its commits: also of those that an erasure needs, which come in
// the middle of a batch. Borrows both; not thread-safe.
class ShardRunner {
 public:
  ShardRunner(Shard& shard, CommitHooks& hooks) : shard_(shard), hooks_(hooks) {}

  // Takes the next record, as Shard::Process does. If an erasure is due before it, everything up to
  // the record before is committed and erased first.
  Status Process(const Record& record, const Elsewhere* elsewhere = nullptr,
                 const Admitted* admitted = nullptr);
  // Commits and erases what is due by the clock, then serves as Shard::ServeByTimer does.
  Status ServeByTimer(const ClockReading& now, bool is_silent);
  // BeforeCommit, then the commit, then AfterCommit, then the news is published.
  Status Commit();

 private:
  Status CommitAndErase(const std::optional<ClockReading>& by_timer);

  Shard& shard_;
  CommitHooks& hooks_;
};

}  // namespace lethe
