#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "engine/base/status.h"
#include "state/store/store.h"

namespace lethe {

// Takes the bytes of deleted events off the disk: out of the rows that hold them, and with them the
// log and every overwritten page of models that knew them. Thread-safe, so that a thread of low
// priority can do it while the shard's own goes on.
class Eraser {
 public:
  // `ranges_of` says where entries may lie.
  using RangesOf = std::function<std::vector<Store::KeyRange>(const std::set<std::int64_t>&)>;
  Eraser(Store& store, RangesOf ranges_of) : store_(store), ranges_of_(std::move(ranges_of)) {}

  // Deletions that are durable.
  void Add(const std::vector<std::int64_t>& indices);
  // Models of commits before the last one have to go.
  void AddModels();
  bool has_work() const;

  // Everything added before is gone when this returns ok.
  Status EraseAll();

  // Those that are gone, each told once.
  std::vector<std::int64_t> TakeErased();

 private:
  Store& store_;
  const RangesOf ranges_of_;
  std::mutex erasing_;  // one at a time
  mutable std::mutex mutex_;
  std::set<std::int64_t> waiting_;
  bool models_wait_ = false;
  std::vector<std::int64_t> erased_;
};

}  // namespace lethe
