#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "engine/base/status.h"

namespace lethe {

// A counter of one shard's messages that no broker has acknowledged yet, for the thread that has to
// wait for the acknowledgements. Thread-safe. The callbacks of the producer share its ownership,
// because they may come after the waiting thread has given up.
class Arrivals {
 public:
  // To be called before the message is handed to the producer.
  void Sent() {
    const std::lock_guard lock(mutex_);
    ++on_their_way_;
  }
  // To be called once for each Sent: ok, or why the message will never arrive.
  void Ended(const Status& status) {
    {
      const std::lock_guard lock(mutex_);
      --on_their_way_;
      if (failure_.ok()) failure_ = status;
    }
    changed_.notify_all();
  }
  // Waits for at most `patience`. Returns whether every message has arrived or failed.
  bool WaitFor(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return on_their_way_ == 0; });
  }
  // The first failure of all messages so far; it stays. Ok if there is none.
  Status failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t on_their_way_ = 0;
  Status failure_;
};

}  // namespace lethe
