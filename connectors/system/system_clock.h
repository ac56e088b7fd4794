#pragma once

#include <cstdint>

#include "engine/ports/clock.h"

namespace lethe {

// The clocks of the operating system: the wall clock and the steady clock. Thread-safe.
class SystemClock final : public Clock {
 public:
  std::int64_t NowMs() override;
  std::int64_t MonotonicNs() override;
};

}  // namespace lethe
