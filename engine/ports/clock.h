#pragma once

#include <cstdint>

#include "engine/base/types.h"

namespace lethe {

// The wall clock and the monotonic clock, read at one moment.
struct ClockReading {
  TimeMs wall;                 // may jump
  std::int64_t steady_ms = 0;  // never goes back; means nothing in another process
};

// A source of time, for measuring durations and for decisions that the stream cannot make, such as
// a deadline in an idle stream. A receipt or notice carries a time of this clock only if the clock
// made the decision. Several threads share one clock, so an implementation must be thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t NowMs() = 0;        // milliseconds since 1970
  virtual std::int64_t MonotonicNs() = 0;  // for durations
  ClockReading Read() { return {{NowMs()}, MonotonicNs() / 1'000'000}; }
};

}  // namespace lethe
