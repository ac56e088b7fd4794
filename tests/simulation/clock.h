#pragma once

#include <cstdint>
#include <functional>

#include "engine/ports/clock.h"

namespace lethe::simulation {

// The true time of the simulated world.
struct WorldTime {
  static constexpr std::int64_t kMs = 1'000'000;
  static constexpr std::int64_t kBeginMs = 1'700'000'000'000;

  std::int64_t ns = 0;

  void AdvanceMs(std::int64_t ms) { ns += ms * kMs; }
  std::int64_t NowMs() const { return kBeginMs + ns / kMs; }
};

// The clocks of one simulated machine. The monotonic clock begins anew with every process, and the
// wall clock may jump. Every reading takes a microsecond, and is a point at which the process may
// die (`point` throws). Borrows the world's time. Not thread-safe.
class MachineClock final : public Clock {
 public:
  MachineClock(WorldTime& time, std::function<void()> point)
      : time_(time), point_(std::move(point)) {}

  void Boot() { boot_ns_ = time_.ns; }
  void Jump(std::int64_t ms) { jumped_ms_ += ms; }

  std::int64_t NowMs() override {
    Tick();
    return time_.NowMs() + jumped_ms_;
  }
  std::int64_t MonotonicNs() override {
    Tick();
    return time_.ns - boot_ns_ + 5'000'000;
  }

 private:
  void Tick() {
    time_.ns += 1000;
    point_();
  }

  WorldTime& time_;
  const std::function<void()> point_;
  std::int64_t boot_ns_ = 0;
  std::int64_t jumped_ms_ = 0;
};

}  // namespace lethe::simulation
