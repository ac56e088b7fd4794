#include "state/commit_writer.h"

#include <utility>

namespace lethe {

CommitWriter::~CommitWriter() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CommitWriter::StartThread() {
  thread_ = std::thread([this] { Work(); });
}

Status CommitWriter::Write(WriteBatch& batch, std::uint64_t commits, bool sync) {
  LETHE_RETURN_IF_ERROR(WaitForWrites());
  if (sync || !thread_.joinable()) {
    LETHE_RETURN_IF_ERROR(WriteNow(batch, commits, sync));
    batch.Clear();
    return Status::Ok();
  }
  {
    const std::lock_guard lock(mutex_);
    job_.emplace(Job{std::exchange(batch, {}), commits});
  }
  changed_.notify_all();
  return Status::Ok();
}

Status CommitWriter::WaitForWrites() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !job_; });
  return status_;
}

Status CommitWriter::WriteNow(const WriteBatch& batch, std::uint64_t commits, bool sync) {
  LETHE_RETURN_IF_ERROR(store_.Write(batch, sync));
  return watermark_ == nullptr ? Status::Ok() : watermark_->Record(commits, sync);
}

// The background thread. It reads job_ without the lock while it writes: nobody else touches job_
// until it is reset. A job that was handed over before the destructor ran is still written.
void CommitWriter::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return job_ || stopping_; });
    if (!job_) return;
    lock.unlock();
    Status status = WriteNow(job_->batch, job_->commits, false);
    job_->batch.Clear();
    lock.lock();
    if (status_.ok()) status_ = std::move(status);
    job_.reset();
    changed_.notify_all();
  }
}

}  // namespace lethe
