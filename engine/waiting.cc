#include "engine/waiting.h"

#include <algorithm>
#include <iterator>

namespace lethe {

bool WaitingRequests::IsOver(const Wait& wait, const WaitingRequest& request, std::int64_t steps,
                             TimeMs now) {
  if (wait.events > 0 && steps - request.steps >= wait.events) return true;
  return wait.event_time_ms > 0 && request.time != kNoTime &&
         now.value - request.time.value >= wait.event_time_ms;
}

std::size_t WaitingRequests::CountDue(std::int64_t steps, TimeMs now,
                                      const SigmaNow& sigma_now) const {
  if (requests_.empty()) return 0;
  if (at_once()) return requests_.size();
  const auto is_over = [&](const Wait& wait, const WaitingRequest& request) {
    return IsOver(wait, request, steps, now);
  };
  const WaitingRequest& oldest = requests_.front();
  // One draw serves the whole window, whatever ended it.
  if (!window_.none() && (is_over(window_, oldest) || is_over(deadline_, oldest))) {
    return requests_.size();
  }
  if (target_sigma_ > 0) {
    std::vector<Target> all;
    for (const WaitingRequest& request : requests_) {
      all.insert(all.end(), request.targets.begin(), request.targets.end());
    }
    if (sigma_now(all) <= target_sigma_) return requests_.size();
  }
  // Without a window everyone waits as long as allowed, because waiting costs nothing.
  const auto first_early =
      std::find_if_not(requests_.begin(), requests_.end(),
                       [&](const WaitingRequest& r) { return is_over(deadline_, r); });
  return window_.none() ? static_cast<std::size_t>(first_early - requests_.begin()) : 0;
}

std::vector<WaitingRequest> WaitingRequests::TakeDue(std::int64_t steps, TimeMs now,
                                                     const SigmaNow& sigma_now) {
  const auto count = static_cast<std::ptrdiff_t>(CountDue(steps, now, sigma_now));
  std::vector<WaitingRequest> due(std::make_move_iterator(requests_.begin()),
                                  std::make_move_iterator(requests_.begin() + count));
  requests_.erase(requests_.begin(), requests_.begin() + count);
  return due;
}

}  // namespace lethe
