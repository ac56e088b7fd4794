#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/status.h"
#include "engine/spec/constants.h"
#include "engine/spec/schedule.h"
#include "engine/spec/spec.h"

namespace lethe {

// How long mode passive knows events one by one (docs/guarantee.md, "Bounded memory"). All events
// whose influence has faded to 2^-47 of what it was can together move the model by less than
// rounding can. From then on every draw absorbs this movement T for all of them, whether they were
// deleted or not, and nothing is kept of each. A value type.
//
// Events are dropped at positions that are multiples of `period`, and never one that the schedule
// has not faded so far or that is among the last `keep`. So nothing depends on what events contain,
// and the memory is that of as many events as fade, plus `keep` and `period`.
struct Horizon {
  std::int64_t period = 0;  // 0: no event is ever dropped
  std::int64_t keep = 0;
  std::int64_t fades = 0;     // constant steps: the number of steps in which an event fades
  const char* why = nullptr;  // if no event is ever dropped: the reason

  // Constant steps: at most this many events are known one by one.
  std::int64_t known() const { return std::max(keep + kMarks, fades) + period; }
  // The ledger has a mark at least this often, and events are dropped at marks.
  static constexpr std::int64_t kMarks = 256;

  // The logarithm of the contraction after which an event is dropped: -47 ln 2.
  static constexpr double kFaded = -32.577917486316;

  // The horizon of this spec. Only mode passive has one, with split: curve and a schedule whose
  // influence fades. Fails (kConfig) if forgetting.retention is a number of events that is too
  // small, or that the schedule cannot keep.
  static Result<Horizon> Of(const Spec& spec, const Constants& constants, const Schedule& schedule);
};

}  // namespace lethe
