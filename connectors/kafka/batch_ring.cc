#include "connectors/kafka/batch_ring.h"

#include <utility>

namespace lethe::kafka {

BatchRing::BatchRing() {
  // One more is being filled while one is being learned from.
  for (std::size_t i = 0; i < kBatches + 2; ++i) {
    batches_.push_back(std::make_unique<RecordBatch>());
    free_.push_back(batches_.back().get());
  }
}

RecordBatch* BatchRing::TakeFree() {
  RecordBatch* batch = nullptr;
  {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return stopped_ || !free_.empty(); });
    if (stopped_) return nullptr;
    batch = free_.back();
    free_.pop_back();
  }
  batch->Clear();
  return batch;
}

void BatchRing::Push(RecordBatch* batch) {
  {
    std::lock_guard lock(mutex_);
    full_.push_back(batch);
    records_ += static_cast<std::int64_t>(batch->count);
  }
  filled_.notify_one();
}

void BatchRing::Fail(Status status) {
  {
    std::lock_guard lock(mutex_);
    if (failed_.ok()) failed_ = std::move(status);
  }
  filled_.notify_all();
}

Result<RecordBatch*> BatchRing::Pop(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  filled_.wait_for(lock, timeout,
                   [&] { return !full_.empty() || !failed_.ok() || woken_ || stopped_; });
  if (!full_.empty()) {
    RecordBatch* batch = full_.front();
    full_.pop_front();
    records_ -= static_cast<std::int64_t>(batch->count);
    return batch;
  }
  if (!failed_.ok()) return failed_;
  woken_ = false;
  return static_cast<RecordBatch*>(nullptr);
}

void BatchRing::Recycle(RecordBatch* batch) {
  {
    std::lock_guard lock(mutex_);
    free_.push_back(batch);
  }
  freed_.notify_one();
}

void BatchRing::Wake() {
  {
    std::lock_guard lock(mutex_);
    woken_ = true;
  }
  filled_.notify_all();
}

void BatchRing::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  filled_.notify_all();
  freed_.notify_all();
}

bool BatchRing::empty() const {
  std::lock_guard lock(mutex_);
  return full_.empty();
}

std::int64_t BatchRing::records() const {
  std::lock_guard lock(mutex_);
  return records_;
}

}  // namespace lethe::kafka
