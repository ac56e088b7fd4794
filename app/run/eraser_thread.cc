#include "app/run/eraser_thread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace lethe {
namespace {

constexpr int kNiceness = 10;

}  // namespace

EraserThread::EraserThread(Eraser& eraser, Clock& clock, std::int64_t max_lag_ms)
    : eraser_(eraser), clock_(clock), max_lag_ms_(max_lag_ms), thread_([this] { Work(); }) {}

const Status& EraserThread::Stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  wakes_.notify_all();
  if (thread_.joinable()) thread_.join();
  return status_;
}

void EraserThread::Work() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
  for (bool is_done = false; !is_done;) {
    const auto pause_ms = EraseOnce();
    if (!pause_ms.ok()) {
      status_ = pause_ms.status();
      has_failed_ = true;
      return;
    }
    std::unique_lock lock(mutex_);
    is_done = wakes_.wait_for(lock, std::chrono::milliseconds(pause_ms.value()),
                              [this] { return is_stopping_; });
  }
}

// An erasure rewrites files, whatever the number of deleted events. The pause is nine times as long
// as the work, so that erasing takes at most a tenth of the time, but it is never longer than a
// quarter of `max_lag_ms_`, so that the bytes are gone well before the shard needs the notice.
Result<std::int64_t> EraserThread::EraseOnce() {
  const std::int64_t pause_ms = std::clamp<std::int64_t>(max_lag_ms_ / 8, 10, 5000);
  if (!eraser_.has_work()) return pause_ms;
  const std::int64_t start = clock_.MonotonicNs();
  LETHE_RETURN_IF_ERROR(eraser_.EraseAll());
  const std::int64_t work_ms = (clock_.MonotonicNs() - start) / 1'000'000;
  return std::max(pause_ms, std::min(9 * work_ms, max_lag_ms_ / 4));
}

}  // namespace lethe
