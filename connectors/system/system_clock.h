#pragma once

#include <cstdint>

#include "engine/ports/clock.h"

namespace lethe {

// The clocks of the operating system. Thread-safe.
class SystemClock final : public Clock {
 public:
  std::int64_t NowMs() override;
  std::int64_t MonotonicNs() override;
};

}  // namespace lethe
