#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "engine/base/status.h"
#include "engine/ports/clock.h"
#include "state/eraser.h"

namespace lethe {

// A thread of low priority that erases the bytes of deleted events from the disk. It works well
// before the erasure is due, so that the shard normally has only the notices left to write. When
// the erasure is due, the shard's own thread erases what this thread has not erased yet. Borrows
// the eraser and the clock. The destructor ends the thread. After a failure nothing more is erased,
// and the shard must stop.
class EraserThread {
 public:
  // `max_lag_ms`: how long bytes may stay on disk after their deletion was effective.
  EraserThread(Eraser& eraser, Clock& clock, std::int64_t max_lag_ms);
  ~EraserThread() { Stop(); }
  EraserThread(const EraserThread&) = delete;
  EraserThread& operator=(const EraserThread&) = delete;

  // From any thread. After a failure the thread has ended.
  bool has_failed() const { return has_failed_; }
  // Why it has failed. May be read after has_failed() was true, or after Stop.
  const Status& status() const { return status_; }
  // Ends the thread, after the erasure that it is working on. Returns its status.
  const Status& Stop();

 private:
  void Work();
  // Erases everything that is due for erasure. Returns the milliseconds to pause.
  Result<std::int64_t> EraseOnce();

  Eraser& eraser_;
  Clock& clock_;
  const std::int64_t max_lag_ms_;
  std::atomic<bool> has_failed_{false};
  Status status_;  // written before has_failed_ is set
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool is_stopping_ = false;  // under mutex_
  std::thread thread_;
};

}  // namespace lethe
