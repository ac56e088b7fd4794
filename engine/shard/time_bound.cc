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
  // The bound begins halfway between arrival and timestamp. Later records of the same producer lie
  // beyond it, even if they come out of order. Producers with correct clocks reach it only after
  // half of the difference has passed.
  after.from_ = {timestamp.value - (timestamp.value - arrival.value) / 2};
  after.arrival_ = arrival;
  return after;
}

}  // namespace lethe
