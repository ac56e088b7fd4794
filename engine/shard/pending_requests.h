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

// A request whose events are gone and whose deletion is not effective yet.
struct PendingRequest {
  Receipt receipt;  // what is known of it so far
  std::vector<Target> targets;
  std::int64_t steps = 0;  // when it was received
  TimeMs time = kNoTime;   // event time when it was received
  Stopwatch waited;        // stored apart (Part::kClock)

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.receipt, self.targets, self.steps, self.time);
  }
};

// Requests that wait, in order, and the rule when they take effect (docs/guarantee.md, section 5):
// at the end of the batch window or at the deadline, whichever comes first, or as soon as the
// whole waiting batch needs no more noise than the target. All of it is public.
class PendingRequests {
 public:
  explicit PendingRequests(const ForgettingSpec& forgetting)
      : window_(forgetting.batch_window),
        deadline_(forgetting.deadline),
        target_sigma_(forgetting.target_sigma) {}

  // Whether requests take effect at once, so that no notice of receipt is needed.
  bool at_once() const { return window_.none() && deadline_.none(); }

  void Add(PendingRequest request) { requests_.push_back(std::move(request)); }
  std::size_t size() const { return requests_.size(); }
  const std::vector<PendingRequest>& requests() const { return requests_; }
  std::vector<PendingRequest>& requests() { return requests_; }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.requests_);
  }

  // The sigma that one draw for these targets would need now.
  using SigmaNow = std::function<double(const std::vector<Target>&)>;

  // Takes out the requests that take effect now, by one draw; empty if none does.
  std::vector<PendingRequest> TakeDue(std::int64_t steps, TimeMs now, const SigmaNow& sigma_now);

  // The same by the clock of the process, whatever the timestamps say. While records come, the
  // stream is given kGraceMs more, because a replay can repeat its decision. In silence the time
  // before the request was read counts too.
  static constexpr std::int64_t kGraceMs = 1000;
  std::vector<PendingRequest> TakeDueByClock(const ClockReading& now, bool is_silent);

 private:
  using IsOver = std::function<bool(const Wait&, const PendingRequest&)>;
  // How many requests have waited long enough.
  std::size_t CountOver(const IsOver& is_over) const;
  std::vector<PendingRequest> TakeFirst(std::size_t count);

  Wait window_;
  Wait deadline_;
  double target_sigma_;
  std::vector<PendingRequest> requests_;
};

}  // namespace lethe
