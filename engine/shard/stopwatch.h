#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/types.h"
#include "engine/ports/clock.h"

namespace lethe {

// A stopwatch that survives restarts. Within a process it uses the monotonic clock, so that a jump
// of the wall clock changes nothing; only the time between two processes is taken from the wall
// clock. A value type; not thread-safe.
class Stopwatch {
 public:
  Stopwatch() = default;
  // Continues the stopwatch of an earlier process, which began at this wall time. kNoTime: it was
  // never read, and begins at its first reading here.
  explicit Stopwatch(TimeMs began) : began_(began) {}

  // The elapsed time. The first call starts the stopwatch. A beginning that lies in the future,
  // because the wall clock was or is wrong, counts as this moment.
  std::int64_t ElapsedMs(const ClockReading& now) {
    if (!steady_began_ms_) {
      if (began_ == kNoTime || began_ > now.wall) began_ = now.wall;
      steady_began_ms_ = now.steady_ms - (now.wall.value - began_.value);
    }
    return now.steady_ms - *steady_began_ms_;
  }

  // The beginning by the wall clock; kNoTime before the first reading.
  TimeMs began() const { return began_; }

 private:
  TimeMs began_ = kNoTime;
  std::optional<std::int64_t> steady_began_ms_;
};

}  // namespace lethe
