#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "state/commit_watermark.h"
#include "state/store/store.h"

namespace lethe {

// Writes commits in their order. One that nothing waits for, since it has to survive the process
// only, is written by a thread while the shard goes on; the next one waits for it. One user at a
// time.
class CommitWriter {
 public:
  // `watermark` may be null.
  CommitWriter(Store& store, CommitWatermarkFile* watermark)
      : store_(store), watermark_(watermark) {}
  ~CommitWriter();
  CommitWriter(const CommitWriter&) = delete;
  CommitWriter& operator=(const CommitWriter&) = delete;

  // Until then everything is written at once.
  void StartThread();

  // Takes what is in the batch. With `now` it is written, and synced, when this returns. An error
  // may be that of the commit before; then this one is not written.
  Status Write(WriteBatch& batch, std::uint64_t commits, bool now);
  // Everything is written when this returns, or it says why not.
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
  std::optional<Job> job_;  // until it is done
  bool stopping_ = false;
  Status status_;  // of all jobs so far
  std::thread thread_;
};

}  // namespace lethe
