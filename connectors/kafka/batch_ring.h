#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "connectors/kafka/record_batch.h"
#include "engine/status.h"

namespace lethe::kafka {

// The hand-over from the thread that decodes a partition to the one that learns from it: batches in
// order, a few of them, reused: a deletion waits for all that was decoded before it. One filler,
// one taker; Stop and Wake from anywhere.
class BatchRing {
 public:
  static constexpr std::size_t kBatches = 2;

  BatchRing();

  // Filler. An empty batch; waits for one to be recycled. nullptr after Stop.
  RecordBatch* TakeFree();
  void Push(RecordBatch* batch);
  // What Pop says once all batches before it are taken.
  void Fail(Status status);

  // Taker. nullptr after `timeout`, after Wake, and at once when stopped and empty.
  Result<RecordBatch*> Pop(std::chrono::milliseconds timeout);
  void Recycle(RecordBatch* batch);

  // The next Pop that finds nothing returns at once; so does one that waits.
  void Wake();
  // Releases both sides. What was pushed may still be taken.
  void Stop();

  bool empty() const;
  std::int64_t records() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<RecordBatch>> batches_;
  std::vector<RecordBatch*> free_;
  std::deque<RecordBatch*> full_;
  std::int64_t records_ = 0;
  Status failed_;
  bool woken_ = false;
  bool stopped_ = false;
};

}  // namespace lethe::kafka
