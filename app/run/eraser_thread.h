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

// Erases the bytes of deleted events from disk, in a thread of low priority. It works well before
// the shard asks for it: then the shard has only the notices left to write. Borrows the eraser and
// the clock.
class EraserThread {
 public:
  // `max_lag_ms`: how long bytes may stay on disk after their deletion was effective.
  EraserThread(Eraser& eraser, Clock& clock, std::int64_t max_lag_ms);
  ~EraserThread() { Stop(); }
  EraserThread(const EraserThread&) = delete;
  EraserThread& operator=(const EraserThread&) = delete;

  // From any thread. After a failure the thread has ended, and status() says why.
  bool has_failed() const { return has_failed_; }
  const Status& status() const { return status_; }
  // Ends the thread. Returns its status.
  const Status& Stop();

 private:
  void Work();
  // Erases what there is. Returns how long to pause before the next look.
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
