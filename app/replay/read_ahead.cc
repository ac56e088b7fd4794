#include "app/replay/read_ahead.h"

#include <utility>

namespace lethe {

ReadAhead::ReadAhead(Source& source, std::size_t limit, std::function<void()> after_read)
    : source_(source),
      limit_(limit),
      after_read_(std::move(after_read)),
      thread_([this] { ReadAll(); }) {}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::ReadAll() {
  for (bool is_end = false; !is_end;) {
    std::list<Batch> mine;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_stopped_ || !free_.empty(); });
      if (is_stopped_) return;
      mine.splice(mine.begin(), free_, free_.begin());
    }
    Batch& batch = mine.front();
    batch.count = source_.Read(batch.records, limit_);
    is_end = !batch.count.ok() || batch.count.value() == 0;
    after_read_();
    {
      const std::lock_guard lock(mutex_);
      ready_.splice(ready_.end(), mine);
    }
    changed_.notify_all();
  }
}

Result<std::size_t> ReadAhead::Read(std::vector<Record>& batch, std::size_t) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty(); });
  // The end, and an error, stay where they are: whoever asks again is told again.
  Batch& next = ready_.front();
  if (!next.count.ok() || next.count.value() == 0) return next.count;
  batch.swap(next.records);
  const std::size_t count = next.count.value();
  free_.splice(free_.end(), ready_, ready_.begin());
  lock.unlock();
  changed_.notify_all();
  return count;
}

}  // namespace lethe
