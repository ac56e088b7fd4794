#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/ports/state.h"

namespace lethe {

// The newest refusals of subjects by time (Refusal::up_to), under the hashes that learns carry. A
// record in order of time is older than few of them, so most records need no look-up in the state,
// not even those of a person who was forgotten before. Its size is bounded. Not thread-safe. No
// operation fails.
class RecentRefusals {
 public:
  static constexpr std::size_t kMost = 4096;

  // For a state with refusals up to this time, of which this object knows none.
  void BeginAfter(TimeMs refused_up_to) { complete_from_ = {refused_up_to.value + 1}; }

  // The refusal of a subject is now this one.
  void Set(const KeyHash& subject, const Refusal& refusal) {
    if (refusal.up_to == kNoTime) return;
    if (known_.size() >= kMost) DropOlderHalf();
    known_[subject] = {refusal.up_to, refusal.until};
    newest_ = std::max(newest_, refusal.up_to);
  }

  // Whether a learn of the subject with this timestamp is refused, at the time `now`. nullopt: the
  // state has to be asked.
  std::optional<bool> IsRefused(const KeyHash& subject, TimeMs timestamp, TimeMs now) const {
    if (timestamp < complete_from_) return std::nullopt;
    if (timestamp > newest_) return false;
    const auto known = known_.find(subject);
    if (known == known_.end()) return false;
    const bool has_ended = known->second.until != kNoTime && known->second.until < now;
    return !has_ended && timestamp <= known->second.up_to;
  }

 private:
  struct Times {
    TimeMs up_to = kNoTime;
    TimeMs until = kNoTime;
  };

  void DropOlderHalf() {
    std::vector<TimeMs> times;
    times.reserve(known_.size());
    for (const auto& known : known_) times.push_back(known.second.up_to);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    complete_from_ = std::max(complete_from_, TimeMs{middle->value + 1});
    std::erase_if(known_, [&](const auto& known) { return known.second.up_to <= *middle; });
  }

  std::unordered_map<KeyHash, Times> known_;
  // Every refusal up to this time or a later one is known.
  TimeMs complete_from_{std::numeric_limits<std::int64_t>::min()};
  TimeMs newest_{std::numeric_limits<std::int64_t>::min()};  // no known refusal is of a later time
};

}  // namespace lethe
