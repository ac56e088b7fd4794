#pragma once

#include <cstdint>

namespace lethe {

// Time for measuring durations and for what only a clock can decide. Receipts never carry it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t NowMs() = 0;        // milliseconds since 1970
  virtual std::int64_t MonotonicNs() = 0;  // for durations
};

}  // namespace lethe
