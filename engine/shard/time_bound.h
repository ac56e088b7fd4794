#pragma once

#include <cstdint>

#include "engine/base/types.h"

namespace lethe {

// A filter that keeps timestamps from the future out of event time. Event time is a running
// maximum: one such timestamp would stop it until that future has come.
//
// A live run knows when each record arrived. If a timestamp is ahead of the arrival, the arrival is
// recorded with that record, and from there on timestamps near this one count as that arrival. The
// bound is a function of the recorded arrivals alone, so a replay that is given them makes the same
// decisions. A value type.
class TimeBound {
 public:
  // The clocks of two machines may differ by this much.
  static constexpr std::int64_t kSkewMs = 1000;
  // For a producer whose clock is always ahead, one arrival is recorded per this span of time,
  // instead of one per record.
  static constexpr std::int64_t kHoldMs = 60'000;

  // Whether the timestamp lies in the future of the arrival, by more than kSkewMs.
  static bool IsAhead(TimeMs timestamp, TimeMs arrival);

  // Whether the arrival of a record must be recorded: either the record would count as a time ahead
  // of its arrival, or it is bounded and the recorded arrival is older than kHoldMs.
  bool Decides(TimeMs timestamp, TimeMs arrival) const;

  // The bound after a record. `arrival` is kNoTime if none is recorded, and the bound stays as it
  // is. A recorded arrival that the timestamp is not ahead of ends the bound.
  TimeBound After(TimeMs timestamp, TimeMs arrival) const;

  // The time that a timestamp counts as in event time.
  TimeMs Count(TimeMs timestamp) const { return IsBounded(timestamp) ? arrival_ : timestamp; }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.from_, self.arrival_);
  }

 private:
  bool IsBounded(TimeMs timestamp) const { return from_ != kNoTime && timestamp >= from_; }

  TimeMs from_ = kNoTime;  // timestamps from here on count as arrival_; kNoTime: none do
  TimeMs arrival_ = kNoTime;
};

}  // namespace lethe
