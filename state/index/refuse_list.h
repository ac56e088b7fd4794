#pragma once

#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/base/types.h"
#include "engine/ports/state.h"

namespace lethe {

// Refusals by hash, and in order of the time at which they end, all in memory. Not thread-safe.
class RefuseList {
 public:
  std::optional<Refusal> Find(const KeyHash& hash) const {
    const auto found = refusals_.find(hash);
    if (found == refusals_.end()) return std::nullopt;
    return found->second;
  }

  void Set(const KeyHash& hash, const Refusal& refusal) {
    const auto [at, is_new] = refusals_.try_emplace(hash, refusal);
    if (!is_new) {
      expiries_.erase({at->second.until, hash});
      at->second = refusal;
    }
    if (refusal.until != kNoTime) expiries_.emplace(refusal.until, hash);
  }

  // Drops those whose time is over, and names each.
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
