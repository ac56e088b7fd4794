#include "engine/shard/pending_requests.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace lethe {

// Requests are in order of arrival, and those that are due are always the first ones. The cost is
// linear in the number of pending requests.
std::size_t PendingRequests::CountOver(const IsOver& is_over) const {
  if (requests_.empty()) return 0;
  if (at_once()) return requests_.size();
  const PendingRequest& oldest = requests_.front();
  if (!window_.none()) {
    // One draw serves the whole window, whether the window or the deadline ended it.
    return is_over(window_, oldest) || is_over(deadline_, oldest) ? requests_.size() : 0;
  }
  // Without a window each request waits until its own deadline, because its noise shrinks
  // meanwhile. Every request before one that is due is due too: it has waited at least as long.
  const auto last_over =
      std::find_if(requests_.rbegin(), requests_.rend(),
                   [&](const PendingRequest& request) { return is_over(deadline_, request); });
  return static_cast<std::size_t>(requests_.rend() - last_over);
}

std::vector<PendingRequest> PendingRequests::TakeFirst(std::size_t count) {
  const auto end = requests_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<PendingRequest> due(std::make_move_iterator(requests_.begin()),
                                  std::make_move_iterator(end));
  requests_.erase(requests_.begin(), end);
  return due;
}

std::vector<Target> PendingRequests::TargetsOfFirst(std::size_t count) const {
  std::vector<Target> targets;
  for (const PendingRequest& request : std::span(requests_).first(count)) {
    targets.insert(targets.end(), request.targets.begin(), request.targets.end());
  }
  return targets;
}

std::size_t PendingRequests::CountDue(std::int64_t steps, TimeMs now,
                                      const SigmaNow& sigma_now) const {
  const std::size_t count = CountOver([&](const Wait& wait, const PendingRequest& request) {
    if (wait.events > 0 && steps - request.steps >= wait.events) return true;
    return wait.event_time_ms > 0 && request.time != kNoTime &&
           now.value - request.time.value >= wait.event_time_ms;
  });
  if (count == requests_.size() || target_sigma_ <= 0) return count;
  return sigma_now(TargetsOfFirst(requests_.size())) <= target_sigma_ ? requests_.size() : count;
}

std::size_t PendingRequests::CountDueByClock(const ClockReading& now, bool is_silent) {
  for (PendingRequest& request : requests_) request.waited.ElapsedMs(now);
  if (at_once()) return 0;
  return CountOver([&](const Wait& wait, const PendingRequest& request) {
    if (wait.event_time_ms == 0) return false;
    Stopwatch waited = request.waited;
    const std::int64_t elapsed = waited.ElapsedMs(now);
    if (!is_silent) return elapsed - kGraceMs >= wait.event_time_ms;
    const std::int64_t before =
        request.time == kNoTime ? 0 : waited.began().value - request.time.value;
    return elapsed + std::max<std::int64_t>(0, before) >= wait.event_time_ms;
  });
}

}  // namespace lethe
