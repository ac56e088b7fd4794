#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/receipt.h"
#include "engine/spec.h"
#include "engine/target.h"
#include "engine/types.h"

namespace lethe {

// A request whose events are gone and whose deletion is not effective yet.
struct WaitingRequest {
  Receipt receipt;  // what is known of it so far
  std::vector<Target> targets;
  std::int64_t steps = 0;  // when it was received
  TimeMs time = kNoTime;

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.receipt, self.targets, self.steps, self.time);
  }
};

// Requests that wait, in order, and the rule when they take effect (docs/guarantee.md, section 5):
// at the end of the batch window or at the deadline, whichever comes first, or as soon as the
// whole waiting batch needs no more noise than the target. All of it is public.
class WaitingRequests {
 public:
  explicit WaitingRequests(const ForgettingSpec& forgetting)
      : window_(forgetting.batch_window),
        deadline_(forgetting.deadline),
        target_sigma_(forgetting.target_sigma) {}

  // Whether requests take effect at once, so that no notice of receipt is needed.
  bool at_once() const { return window_.none() && deadline_.none(); }

  void Add(WaitingRequest request) { requests_.push_back(std::move(request)); }
  std::size_t size() const { return requests_.size(); }
  const std::vector<WaitingRequest>& requests() const { return requests_; }
  std::vector<WaitingRequest>& requests() { return requests_; }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.requests_);
  }

  // The sigma that one draw for these targets would need now.
  using SigmaNow = std::function<double(const std::vector<Target>&)>;

  // Takes out the requests that take effect now, by one draw; empty if none does.
  std::vector<WaitingRequest> TakeDue(std::int64_t steps, TimeMs now, const SigmaNow& sigma_now);

 private:
  static bool IsOver(const Wait& wait, const WaitingRequest& request, std::int64_t steps,
                     TimeMs now);
  std::size_t CountDue(std::int64_t steps, TimeMs now, const SigmaNow& sigma_now) const;

  Wait window_;
  Wait deadline_;
  double target_sigma_;
  std::vector<WaitingRequest> requests_;
};

}  // namespace lethe
