#include "state/eraser.h"

#include <memory>
#include <utility>

#include "state/store/block_log.h"

namespace lethe {

void Eraser::Add(const std::vector<std::int64_t>& indices) {
  const std::lock_guard lock(mutex_);
  waiting_.insert(indices.begin(), indices.end());
}

void Eraser::AddRanges(const std::vector<Store::KeyRange>& ranges) {
  const std::lock_guard lock(mutex_);
  ranges_wait_.insert(ranges_wait_.end(), ranges.begin(), ranges.end());
}

void Eraser::AddModels() {
  const std::lock_guard lock(mutex_);
  models_wait_ = true;
}

bool Eraser::has_work() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty() || !ranges_wait_.empty() || models_wait_;
}

Status Eraser::EraseAll() {
  const std::lock_guard one_at_a_time(erasing_);
  // Shared with the scrub below, which the store may call even after Rewrite has returned.
  std::shared_ptr<const std::set<std::int64_t>> indices;
  std::vector<Store::KeyRange> dropped;
  {
    const std::lock_guard lock(mutex_);
    indices = std::make_shared<const std::set<std::int64_t>>(waiting_);
    if (indices->empty() && ranges_wait_.empty() && !models_wait_) return Status::Ok();
    dropped = std::exchange(ranges_wait_, {});
    models_wait_ = false;
  }
  std::vector<Store::KeyRange> ranges = ranges_of_(*indices);
  ranges.insert(ranges.end(), dropped.begin(), dropped.end());
  // The current model no longer depends on the events. Older pages of it are overwritten rows of
  // kMeta, which this range erases.
  ranges.push_back({Family::kMeta, "", ""});
  const Status status = store_.Rewrite(
      ranges, [indices](std::string_view value) { return Blanked(value, *indices); });
  const std::lock_guard lock(mutex_);
  if (!status.ok()) {
    models_wait_ = true;  // the next call tries again
    ranges_wait_.insert(ranges_wait_.end(), dropped.begin(), dropped.end());
    return status;
  }
  for (const std::int64_t index : *indices) {
    waiting_.erase(index);
    erased_.push_back(index);
  }
  return Status::Ok();
}

std::vector<std::int64_t> Eraser::TakeErased() {
  const std::lock_guard lock(mutex_);
  return std::exchange(erased_, {});
}

}  // namespace lethe
