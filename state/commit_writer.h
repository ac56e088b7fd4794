#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "state/commit_watermark.h"
#include "state/store/store.h"

namespace lethe {

// Writes commits to a store, in order. Synced commits are written before Write returns. Unsynced
// commits are written by a background thread; at most one is in flight, and the next Write waits
// for it. Threads: one thread at a time calls it. Ownership: borrows the store and the watermark
// file, which must outlive it; nothing else may write to them. Failure: the first error of a
// background commit is kept, and every later call returns it. After any error the caller must stop
// writing. The destructor waits for the commit in flight; its error is then lost, so call
// WaitForWrites before.
class CommitWriter {
 public:
  // `watermark` may be null, for a store that cannot lose a commit.
  CommitWriter(Store& store, CommitWatermarkFile* watermark)
      : store_(store), watermark_(watermark) {}
  ~CommitWriter();
  CommitWriter(const CommitWriter&) = delete;
  CommitWriter& operator=(const CommitWriter&) = delete;

  // Starts the background thread. Until then all commits are written before Write returns. Call it
  // at most once.
  void StartThread();

  // Writes a batch, which is empty afterwards, and records that the store then has `commits`
  // commits. With `sync`, the batch is written and synced when it returns. An error may be that of
  // an earlier commit; this batch is then not written, and keeps its changes.
  Status Write(WriteBatch& batch, std::uint64_t commits, bool sync);
  // Waits for the commit in flight. Returns the first error of any background commit so far.
  Status WaitForWrites();

 private:
  struct Job {
    WriteBatch batch;
    std::uint64_t commits = 0;
  };

  Status WriteNow(const WriteBatch& batch, std::uint64_t commits, bool sync);
  void Work();

  Store& store_;
  CommitWatermarkFile* const watermark_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> job_;  // the commit in flight, until it is written
  bool stopping_ = false;
  Status status_;  // the first error of all jobs
  std::thread thread_;
};

}  // namespace lethe
