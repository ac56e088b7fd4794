#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/types.h"
#include "engine/ports/clock.h"

namespace lethe {

// How long something has waited, by the clocks of the process. Within a process the monotonic clock
// counts, so that a wall clock that jumps changes nothing; only what passed between two processes
// is taken from the wall clock. A value type.
class Stopwatch {
 public:
  Stopwatch() = default;
  // Goes on with one of an earlier process; kNoTime: it was never read.
  explicit Stopwatch(TimeMs began) : began_(began) {}

  // The first reading starts it. A beginning that lies in the future, because the wall clock was
  // wrong then or is wrong now, counts as this moment.
  std::int64_t ElapsedMs(const ClockReading& now) {
    if (!steady_began_ms_) {
      if (began_ == kNoTime || began_ > now.wall) began_ = now.wall;
      steady_began_ms_ = now.steady_ms - (now.wall.value - began_.value);
    }
    return now.steady_ms - *steady_began_ms_;
  }

  // By the wall clock; kNoTime before the first reading.
  TimeMs began() const { return began_; }

 private:
  TimeMs began_ = kNoTime;
  std::optional<std::int64_t> steady_began_ms_;
};

}  // namespace lethe
