#include "engine/shard/time_bound.h"

#include <cstdlib>

namespace lethe {

bool TimeBound::IsAhead(TimeMs timestamp, TimeMs arrival) {
  return timestamp != kNoTime && timestamp.value - arrival.value > kSkewMs;
}

bool TimeBound::Decides(TimeMs timestamp, TimeMs arrival) const {
  if (timestamp == kNoTime) return false;
  if (IsAhead(Count(timestamp), arrival)) return true;
  return IsBounded(timestamp) && std::llabs(arrival.value - arrival_.value) >= kHoldMs;
}

TimeBound TimeBound::After(TimeMs timestamp, TimeMs arrival) const {
  if (timestamp == kNoTime || arrival == kNoTime) return *this;
  TimeBound after;
  if (!IsAhead(timestamp, arrival)) return after;
  // Half of the way: later records of the same producer are beyond it, even out of order, and
  // those of the others are not before half of that time has passed.
  after.from_ = {timestamp.value - (timestamp.value - arrival.value) / 2};
  after.arrival_ = arrival;
  return after;
}

}  // namespace lethe
