#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "engine/base/status.h"
#include "state/store/store.h"

namespace lethe {

// Erases the bytes of deleted events from the disk: in the rows that hold them, in the log, and in
// overwritten pages of models that were computed from them. Thread-safe, so that a thread of low
// priority can erase while the shard goes on. Borrows the store, which must outlive it. After an
// error of EraseAll nothing is known to be erased. The next call tries everything again; so does
// the next start of the process, which adds the deletions again.
class Eraser {
 public:
  // Returns the ranges of keys whose rows may have these events. EraseAll calls it.
  using RangesOf = std::function<std::vector<Store::KeyRange>(const std::set<std::int64_t>&)>;
  Eraser(Store& store, RangesOf ranges_of) : store_(store), ranges_of_(std::move(ranges_of)) {}

  // Adds deleted events. Their deletion must be committed already.
  void Add(const std::vector<std::int64_t>& indices);
  // Adds ranges of keys whose rows were deleted. The deletion must be committed already.
  void AddRanges(const std::vector<Store::KeyRange>& ranges);
  // Asks for the erasure of all models in commits before the last one.
  void AddModels();
  // Whether anything was added that is not erased.
  bool has_work() const;

  // Erases. When it returns ok, everything added before the call is gone from the disk. A second
  // caller waits for the first.
  Status EraseAll();

  // The events that were erased since the last call.
  std::vector<std::int64_t> TakeErased();

 private:
  Store& store_;
  const RangesOf ranges_of_;
  std::mutex erasing_;  // held during EraseAll
  mutable std::mutex mutex_;
  std::set<std::int64_t> waiting_;
  std::vector<Store::KeyRange> ranges_wait_;
  bool models_wait_ = false;
  std::vector<std::int64_t> erased_;
};

}  // namespace lethe
