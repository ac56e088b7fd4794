#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/ports/state.h"

namespace lethe {

// The ids that came in the window of a mode and that the state does not hold: those of events that
// were deleted or replaced, and those of records that were not learned. With them the rule for
// duplicates depends on the window alone: a learn is a duplicate if its id occurred in any learn or
// update since the record of the anchor, learned or not. Ids are stored under the lasting hash,
// like refusals. Not thread-safe. Only Load can fail.
class SeenIds {
 public:
  // Records that the id came at this index, or after this index and before the next.
  void Add(const KeyHash& id, EventIndex index);
  bool Has(const KeyHash& id) const { return MayHave(id) && last_.contains(id); }
  // A hint that Has will be called soon.
  void Prefetch(const KeyHash& id) const {
    if (!filter_.empty()) __builtin_prefetch(&filter_[WordOf(id)]);
  }
  bool empty() const { return last_.empty(); }
  // Removes the ids that came before `anchor` for the last time.
  void DropBefore(EventIndex anchor);

  // Save writes what has changed since the last call. Load fails (kInput) if the part is damaged.
  void Save(State& state);
  Status Load(const State& state);

 private:
  using Entry = std::pair<KeyHash, EventIndex>;

  // Most ids were never seen, and one bit says so.
  static constexpr std::size_t kBitsPerId = 16;
  static constexpr std::size_t kFewestWords = 64;
  std::size_t WordOf(const KeyHash& id) const { return (id.low >> 6) & (filter_.size() - 1); }
  static std::uint64_t BitOf(const KeyHash& id) { return std::uint64_t{1} << (id.low & 63); }
  bool MayHave(const KeyHash& id) const {
    return !filter_.empty() && (filter_[WordOf(id)] & BitOf(id)) != 0;
  }
  void AddToFilter(const KeyHash& id);
  void MakeFilter();

  std::unordered_map<KeyHash, EventIndex> last_;
  std::vector<std::uint64_t> filter_;  // a bit for each id of last_; its size is a power of two
  std::vector<Entry> entries_;         // in the order of Add; the last one of an id counts
  std::size_t saved_ = 0;              // entries that the state has
  bool is_rewritten_ = false;          // entries were removed since the last Save
};

}  // namespace lethe
