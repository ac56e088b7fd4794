#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/base/types.h"
#include "engine/ports/target.h"
#include "engine/shard/receipt.h"
#include "engine/shard/stopwatch.h"
#include "engine/spec/spec.h"

namespace lethe {

// A request that was received and is not effective yet. Its events have left the state and the
// payloads; the model still depends on them.
struct PendingRequest {
  Receipt receipt;  // the fields that are known when the request is received
  std::vector<Target> targets;
  std::int64_t steps = 0;  // learn steps taken when it was received
  TimeMs time = kNoTime;   // event time when it was received
  Stopwatch waited;        // stored separately, in Part::kClock
  // It would have taken effect with its own record, but for the pause between two rewinds. Not
  // stored: without a wait by configuration it is true of every request in a saved state.
  bool is_grouped = false;

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.receipt, self.targets, self.steps, self.time);
  }
};

// The queue of pending requests, and the rule by which they take effect (docs/guarantee.md, section
// 5): at the end of the batch window or at the deadline, whichever comes first, or as soon as one
// draw for all of them needs no more noise than the target. The rule uses public quantities only.
// Not thread-safe. No operation fails.
class PendingRequests {
 public:
  explicit PendingRequests(const ForgettingSpec& forgetting)
      : window_(forgetting.batch_window),
        deadline_(forgetting.deadline),
        target_sigma_(forgetting.target_sigma) {}

  // Whether requests take effect immediately, so that no notice of receipt is needed.
  bool at_once() const { return window_.none() && deadline_.none(); }

  void Add(PendingRequest request) { requests_.push_back(std::move(request)); }
  std::size_t size() const { return requests_.size(); }
  const std::vector<PendingRequest>& requests() const { return requests_; }
  std::vector<PendingRequest>& requests() { return requests_; }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.requests_);
  }

  // Returns the sigma that one draw for these targets would need now.
  using SigmaNow = std::function<double(const std::vector<Target>&)>;

  // The number of requests that take effect now, by one draw. They are the first ones. `now` is
  // event time, so a replay of the stream makes the same decisions.
  std::size_t CountDue(std::int64_t steps, TimeMs now, const SigmaNow& sigma_now) const;

  // The number of requests whose wait is over by the clocks of the process, whatever the timestamps
  // say. Requests that need not wait are never due by the clock. While records arrive (`is_silent`
  // false) the wait is kGraceMs longer, so that the stream decides first: a replay can repeat the
  // stream's decision and not the clock's. In silence the time between the request's timestamp and
  // its reading counts as waited.
  static constexpr std::int64_t kGraceMs = 1000;
  std::size_t CountDueByClock(const ClockReading& now, bool is_silent);

  // Removes and returns the first requests.
  std::vector<PendingRequest> TakeFirst(std::size_t count);
  // The targets of the first requests.
  std::vector<Target> TargetsOfFirst(std::size_t count) const;

 private:
  using IsOver = std::function<bool(const Wait&, const PendingRequest&)>;
  // The number of requests that have waited long enough.
  std::size_t CountOver(const IsOver& is_over) const;

  Wait window_;
  Wait deadline_;
  double target_sigma_;
  std::vector<PendingRequest> requests_;
};

}  // namespace lethe
