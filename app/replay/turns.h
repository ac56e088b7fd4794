#pragma once

#include <condition_variable>
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
      std::unique_lock reading(reading_);
      if (is_read_) return;
      const std::uint64_t number = batches_++;
      const Result<bool> found = steps_.Read(batch);
      if (!found.ok() || !found.value()) is_read_ = true;
      reading.unlock();
      if (found.ok() && found.value()) steps_.Prepare(batch);

      std::unique_lock finishing(finishing_);
      turn_.wait(finishing, [&] { return finished_ == number; });
      if (status_.ok()) status_ = !found.ok() ? found.status() : Finish(found.value(), batch);
      ++finished_;
      const bool has_failed = !status_.ok();
      finishing.unlock();
      turn_.notify_all();
      if (!has_failed) continue;
      reading.lock();
      is_read_ = true;
    }
  }

  Status Finish(bool is_there, Batch& batch) {
    return is_there ? steps_.Finish(batch) : Status::Ok();
  }

  Steps<Batch>& steps_;
  std::mutex reading_;
  std::uint64_t batches_ = 0;
  bool is_read_ = false;  // there is nothing more, or nothing more is wanted
  std::mutex finishing_;
  std::condition_variable turn_;
  std::uint64_t finished_ = 0;
  Status status_;
};

}  // namespace lethe
