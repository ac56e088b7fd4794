#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/ports/probe.h"
#include "engine/spec/constants.h"
#include "engine/spec/loss.h"

namespace lethe {

// An estimate of the regret from a reservoir of events, for streams that are too long for Regret.
// Not thread-safe.
//
// Which events are in the reservoir is a public function of their index: event k replaces the slot
// that a fixed pseudo-random function of k names, or none. A deleted event leaves its slot empty,
// and no other event moves: apart from that slot, the reservoir is that of a run that never saw the
// event.
//
// The comparator is one model, the best for the events that are in the reservoir at the end. Not
// covered by any certificate.
class SampledRegret {
 public:
  struct Slot {
    EventIndex index;
    Vector x;
    double y = 0;
    double paid = 0;  // f_t(z_t)
  };

  // For dense events. `slots` is at least 1.
  SampledRegret(const Loss& loss, const Constants& constants, std::int64_t slots);

  // The slot that event `index` takes, with Algorithm R (Vitter 1985): the first ones fill the
  // reservoir, and event k gets in with probability slots/(k+1).
  static std::optional<std::int64_t> SlotOf(EventIndex index, std::int64_t slots);

  // To be called for each step and each effective deletion of the run, in order.
  void Learn(const LearnedStep& step);
  void Forget(std::span<const Target> batch);

  // The number of learned events, times the mean over the reservoir of the run's cost minus the
  // cost of the best model for the reservoir.
  double Estimate() const;
  std::int64_t size() const;  // slots that are not empty

  const std::vector<std::optional<Slot>>& slots() const { return slots_; }

 private:
  Loss loss_;
  Constants constants_;
  std::int64_t most_;
  std::int64_t learned_ = 0;
  std::vector<std::optional<Slot>> slots_;
};

}  // namespace lethe
