#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/status.h"

namespace lethe {

// The three steps of working through batches, each called with a batch that is reused.
template <typename Batch>
class Steps {
 public:
  virtual ~Steps() = default;
  // One at a time. False is the end.
  virtual Result<bool> Read(Batch& batch) = 0;
  // Any time.
  virtual void Prepare(Batch& batch) = 0;
  // One at a time, in the order of reading.
  virtual Status Finish(Batch& batch) = 0;
};

// Works through batches in threads: each does what there is to do, first of all finishing the batch
// whose turn it is, else reading and preparing another one. With more batches than threads none
// waits while another takes long to finish.
template <typename Batch>
class Turns {
 public:
  Turns(Steps<Batch>& steps, std::size_t batches) : steps_(steps), places_(batches) {}

  // In as many threads. Returns the first error in the order of reading, or ok at the end.
  Status Run(int threads) {
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([this] { Work(); });
    Work();
    for (std::thread& other : others) other.join();
    return status_;
  }

  // Likewise in one thread, whose processor then has in its cache what it needs next, and in
  // another one that reads and prepares only while it is wanted.
  Status RunWithHelper() {
    std::thread helper([this] { Help(); });
    Work();
    WantHelp(true);  // it sees that all is over
    helper.join();
    return status_;
  }
  void WantHelp(bool is_wanted) {
    if (is_wanted == wants_help_.load(std::memory_order_relaxed)) return;
    wants_help_ = is_wanted;
    wants_help_.notify_one();
  }

 private:
  // Batch n is in place n modulo the number of places, which is ready from when it is prepared
  // until it is finished.
  struct Place {
    Batch batch;
    Result<bool> found = false;
    std::atomic<bool> is_ready = false;
  };
  Place& Of(std::uint64_t number) { return places_[number % places_.size()]; }

  void Work() {
    std::uint32_t seen = changes_.load();
    while (!is_over_.load()) {
      if (TryFinish() || TryPrepare()) {
        seen = changes_.load();
      } else {
        Await(seen);
      }
    }
  }

  void Help() {
    std::uint32_t seen = changes_.load();
    while (true) {
      wants_help_.wait(false);
      if (is_over_.load()) return;
      if (TryPrepare()) {
        seen = changes_.load();
      } else {
        Await(seen);
      }
    }
  }

  bool TryFinish() {
    std::unique_lock lock(finishing_, std::try_to_lock);
    if (!lock.owns_lock() || is_over_.load()) return false;
    Place& place = Of(finished_.load());
    if (!place.is_ready.load()) return false;
    status_ = !place.found.ok()     ? place.found.status()
              : place.found.value() ? steps_.Finish(place.batch)
                                    : Status::Ok();
    const bool is_last = !place.found.ok() || !place.found.value() || !status_.ok();
    place.is_ready = false;
    ++finished_;
    if (is_last) is_over_ = true;
    lock.unlock();
    Tell();
    return true;
  }

  bool TryPrepare() {
    std::unique_lock lock(reading_, std::try_to_lock);
    if (!lock.owns_lock() || is_read_ || read_ - finished_.load() == places_.size()) return false;
    Place& place = Of(read_);
    place.found = steps_.Read(place.batch);
    const bool is_there = place.found.ok() && place.found.value();
    is_read_ = !is_there;
    ++read_;
    lock.unlock();
    Tell();  // another may read
    if (is_there) steps_.Prepare(place.batch);
    place.is_ready = true;
    Tell();
    return true;
  }

  void Tell() {
    ++changes_;
    changes_.notify_all();
  }
  // To sleep and be woken up takes longer than most waits: first lets others work for a while.
  void Await(std::uint32_t& seen) {
    for (int i = 0; i < kLooks && changes_.load() == seen; ++i) std::this_thread::yield();
    changes_.wait(seen);
    seen = changes_.load();
  }

  static constexpr int kLooks = 100;

  Steps<Batch>& steps_;
  std::vector<Place> places_;
  std::atomic<std::uint32_t> changes_ = 0;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> wants_help_ = false;

  alignas(64) std::mutex reading_;
  std::uint64_t read_ = 0;
  bool is_read_ = false;  // there is nothing more

  alignas(64) std::mutex finishing_;
  std::atomic<std::uint64_t> finished_ = 0;
  Status status_;
};

}  // namespace lethe
