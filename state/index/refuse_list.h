#pragma once

#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/base/types.h"
#include "engine/ports/state.h"

namespace lethe {

// The refusals of a shard that lives as long as the process: by hash, and in order of their end,
// all in memory. Not thread-safe. It owns its memory. No call fails.
class RefuseList {
 public:
  // None: the hash has no refusal.
  std::optional<Refusal> Find(const KeyHash& hash) const {
    const auto found = refusals_.find(hash);
    if (found == refusals_.end()) return std::nullopt;
    return found->second;
  }

  // Sets the refusal of a hash, and replaces an older one.
  void Set(const KeyHash& hash, const Refusal& refusal) {
    const auto [at, is_new] = refusals_.try_emplace(hash, refusal);
    if (!is_new) {
      expiries_.erase({at->second.until, hash});
      at->second = refusal;
    }
    if (refusal.until != kNoTime) expiries_.emplace(refusal.until, hash);
  }

  // Removes all refusals that end before `now`, and calls `on_expired` with the hash of each.
  void Expire(TimeMs now, const std::function<void(const KeyHash&)>& on_expired) {
    while (!expiries_.empty() && expiries_.begin()->first < now) {
      const KeyHash hash = expiries_.begin()->second;
      expiries_.erase(expiries_.begin());
      refusals_.erase(hash);
      on_expired(hash);
    }
  }

  std::size_t size() const { return refusals_.size(); }

 private:
  std::unordered_map<KeyHash, Refusal> refusals_;
  std::set<std::pair<TimeMs, KeyHash>> expiries_;
};

}  // namespace lethe
