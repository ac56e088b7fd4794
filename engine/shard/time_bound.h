#pragma once

#include <cstdint>

#include "engine/base/types.h"

namespace lethe {

// Keeps timestamps from the future out of event time, which is a running maximum and would stand
// still until that future has come.
//
// A live run knows when each record arrived. Where the timestamp is ahead of the arrival, the
// arrival is recorded with that record, and from there on timestamps like this one count as that
// arrival. The bound is a function of the recorded arrivals alone: a replay that is given them
// makes the same decisions. A value type.
class TimeBound {
 public:
  // The clocks of two machines may differ by this much.
  static constexpr std::int64_t kSkewMs = 1000;
  // A producer whose clock is always ahead has one arrival recorded per so much time, instead of
  // one per record.
  static constexpr std::int64_t kHoldMs = 60'000;

  static bool IsAhead(TimeMs timestamp, TimeMs arrival);

  // Whether the arrival of a record is to be recorded: it would count as a time ahead of its
  // arrival, or it is bounded and the recorded arrival is out of date.
  bool Decides(TimeMs timestamp, TimeMs arrival) const;

  // The bound once the record is taken. `arrival` is kNoTime where none is recorded; one that the
  // timestamp is not ahead of ends the bound.
  TimeBound After(TimeMs timestamp, TimeMs arrival) const;

  // What a timestamp counts as in event time.
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
