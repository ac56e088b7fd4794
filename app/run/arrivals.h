#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "engine/base/status.h"

namespace lethe {

// Messages of one shard that are on their way to a topic, for the thread that has to wait until
// they have arrived. Thread-safe.
class Arrivals {
 public:
  void Sent() {
    const std::lock_guard lock(mutex_);
    ++on_their_way_;
  }
  // Called once for each Sent: ok, or why the message will never arrive.
  void Ended(const Status& status) {
    {
      const std::lock_guard lock(mutex_);
      --on_their_way_;
      if (failure_.ok()) failure_ = status;
    }
    changed_.notify_all();
  }
  // Whether nothing is on its way any more.
  bool WaitFor(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return on_their_way_ == 0; });
  }
  // The first failure of all messages so far.
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
