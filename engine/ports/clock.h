#pragma once

#include <cstdint>

#include "engine/base/types.h"

namespace lethe {

// Both clocks of the machine at one moment.
struct ClockReading {
  TimeMs wall;                 // may jump
  std::int64_t steady_ms = 0;  // never goes back; means nothing in another process
};

// Time for measuring durations and for what only a clock can decide. Receipts and notices carry it
// only where the clock decided.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t NowMs() = 0;        // milliseconds since 1970
  virtual std::int64_t MonotonicNs() = 0;  // for durations
  ClockReading Read() { return {{NowMs()}, MonotonicNs() / 1'000'000}; }
};

}  // namespace lethe
