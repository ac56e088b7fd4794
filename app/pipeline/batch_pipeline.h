#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/status.h"

namespace lethe {

// The three stages that a BatchPipeline takes every batch through. A batch object is reused for
// many batches, so Read must replace whatever the object still holds.
template <typename Batch>
class PipelineStages {
 public:
  virtual ~PipelineStages() = default;
  // Fills the batch. Called by one thread at a time. False is the end of the stream. After false or
  // an error Read is not called again.
  virtual Result<bool> Read(Batch& batch) = 0;
  // Does everything that does not depend on earlier batches. Called by several threads at once,
  // with a batch each.
  virtual void Prepare(Batch& batch) = 0;
  // Uses the batch. Called by one thread at a time, in the order of reading. An error ends the
  // pipeline.
  virtual Status Finish(Batch& batch) = 0;
};

// A two-stage pipeline over a ring of batches. Every thread prefers to finish the oldest prepared
// batch, and otherwise reads and prepares the next one. Finish runs in the order of reading, one
// batch at a time. With more batches than threads, no thread waits while another takes long to
// finish.
//
// Borrows the stages. Run or RunWithHelper is called once in the life of an object; WantHelp may be
// called from any thread while RunWithHelper runs. After an error, batches that were read and not
// finished are dropped.
template <typename Batch>
class BatchPipeline {
 public:
  BatchPipeline(PipelineStages<Batch>& stages, std::size_t batches)
      : stages_(stages), slots_(batches) {}

  // Runs in `threads` threads, of which the calling one is the first. Returns the first error in
  // the order of reading, or ok at the end of the stream.
  Status Run(int threads) {
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([this] { Work(); });
    Work();
    for (std::thread& other : others) other.join();
    return status_;
  }

  // Runs in the calling thread, and in a helper thread that reads and prepares only while help is
  // wanted. Finish always runs in the calling thread. That thread normally prepares the batch
  // itself too, so the batch is in its processor's cache. Returns what Run returns.
  Status RunWithHelper() {
    std::thread helper([this] { Help(); });
    Work();
    WantHelp(true);  // so that the helper sees the end
    helper.join();
    return status_;
  }
  // Wakes the helper or lets it rest. Help pays off while the calling thread waits for the disk.
  void WantHelp(bool is_wanted) {
    if (is_wanted == wants_help_.load(std::memory_order_relaxed)) return;
    wants_help_ = is_wanted;
    wants_help_.notify_one();
  }

 private:
  // Batch n lives in slot n modulo the number of slots. The slot is ready from when the batch is
  // prepared until it is finished. TryPrepare reuses the slot only after `finished_` has passed its
  // last batch, so no lock protects the batch: the store to `is_ready` hands it from the thread
  // that prepared it to the thread that finishes it, and the increment of `finished_` hands it
  // back.
  struct Slot {
    Batch batch;
    Result<bool> found = false;
    std::atomic<bool> is_ready = false;
  };
  Slot& Of(std::uint64_t number) { return slots_[number % slots_.size()]; }

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
    Slot& slot = Of(finished_.load());
    if (!slot.is_ready.load()) return false;
    status_ = !slot.found.ok()     ? slot.found.status()
              : slot.found.value() ? stages_.Finish(slot.batch)
                                   : Status::Ok();
    const bool is_last = !slot.found.ok() || !slot.found.value() || !status_.ok();
    slot.is_ready = false;
    ++finished_;
    if (is_last) is_over_ = true;
    lock.unlock();
    Tell();
    return true;
  }

  bool TryPrepare() {
    std::unique_lock lock(reading_, std::try_to_lock);
    if (!lock.owns_lock() || is_read_ || read_ - finished_.load() == slots_.size()) return false;
    Slot& slot = Of(read_);
    slot.found = stages_.Read(slot.batch);
    const bool is_there = slot.found.ok() && slot.found.value();
    is_read_ = !is_there;
    ++read_;
    lock.unlock();
    Tell();  // another thread may read the next batch now
    if (is_there) stages_.Prepare(slot.batch);
    slot.is_ready = true;
    Tell();
    return true;
  }

  void Tell() {
    ++changes_;
    changes_.notify_all();
  }
  // Waits until `changes_` differs from `seen`. The caller read `seen` before it last looked for
  // work, so no change is missed. To sleep and be woken up takes longer than most waits, therefore
  // the thread yields to others for a while before it sleeps.
  void Await(std::uint32_t& seen) {
    for (int i = 0; i < kLooks && changes_.load() == seen; ++i) std::this_thread::yield();
    changes_.wait(seen);
    seen = changes_.load();
  }

  static constexpr int kLooks = 100;

  PipelineStages<Batch>& stages_;
  std::vector<Slot> slots_;
  std::atomic<std::uint32_t> changes_ = 0;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> wants_help_ = false;

  alignas(64) std::mutex reading_;
  std::uint64_t read_ = 0;
  bool is_read_ = false;  // the stream is at its end, or reading has failed

  alignas(64) std::mutex finishing_;
  std::atomic<std::uint64_t> finished_ = 0;
  Status status_;
};

}  // namespace lethe
