#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/status.h"

namespace lethe {

// The three steps of working through batches, each called with a batch that its thread reuses.
template <typename Batch>
class Steps {
 public:
  virtual ~Steps() = default;
  // One at a time. False is the end.
  virtual Result<bool> Read(Batch& batch) = 0;
  // Any time, in the thread that has read it.
  virtual void Prepare(Batch& batch) = 0;
  // One at a time, in the order of reading.
  virtual Status Finish(Batch& batch) = 0;
};

// Works through batches in as many threads, which take turns: while one finishes its batch, the
// next reads and prepares another. A batch stays with its thread, and so in its processor's cache.
// Returns the first error in the order of reading, or ok at the end.
template <typename Batch>
class Turns {
 public:
  explicit Turns(Steps<Batch>& steps) : steps_(steps) {}

  Status Run(int threads) {
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([this] { Work(); });
    Work();
    for (std::thread& other : others) other.join();
    return status_;
  }

 private:
  void Work() {
    Batch batch;
    for (;;) {
      Lock(reading_);
      std::unique_lock reading(reading_, std::adopt_lock);
      if (is_read_) return;
      const std::uint64_t number = batches_++;
      const Result<bool> found = steps_.Read(batch);
      if (!found.ok() || !found.value()) is_read_ = true;
      reading.unlock();
      if (found.ok() && found.value()) steps_.Prepare(batch);

      AwaitTurn(number);
      if (status_.ok()) status_ = !found.ok() ? found.status() : Finish(found.value(), batch);
      const bool has_failed = !status_.ok();
      finished_.store(number + 1);
      finished_.notify_all();
      if (!has_failed) continue;
      reading.lock();
      is_read_ = true;
    }
  }

  Status Finish(bool is_there, Batch& batch) {
    return is_there ? steps_.Finish(batch) : Status::Ok();
  }

  // To sleep and be woken up takes longer than a turn: first looks for some microseconds whether
  // the other is done.
  template <typename Done>
  bool Look(const Done& is_done) const {
    for (int i = 0; i < looks_; ++i) {
      if (is_done()) return true;
      Pause();
    }
    return false;
  }
  static void Pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  void Lock(std::mutex& mutex) const {
    if (!Look([&] { return mutex.try_lock(); })) mutex.lock();
  }

  void AwaitTurn(std::uint64_t number) const {
    if (Look([&] { return finished_.load() == number; })) return;
    for (std::uint64_t finished = 0; (finished = finished_.load()) != number;) {
      finished_.wait(finished);
    }
  }

  Steps<Batch>& steps_;
  const int looks_ = std::thread::hardware_concurrency() > 1 ? 2000 : 0;
  std::mutex reading_;
  std::uint64_t batches_ = 0;
  bool is_read_ = false;  // there is nothing more, or nothing more is wanted
  std::atomic<std::uint64_t> finished_ = 0;
  Status status_;  // of whose turn it is
};

}  // namespace lethe
