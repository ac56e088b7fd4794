#pragma once

#include <algorithm>
#include <cstdint>

namespace lethe {

// How a live run spreads its rewinds (docs/guarantee.md, "When a rewind happens").
struct RewindPolicy {
  // A rewind may begin this many times its own length after the one before it has begun. 0: there
  // is no pause, no copy and no clock, and every request is served at its record.
  std::int64_t pause = 0;
  // A longer rewind runs on a copy while learning goes on.
  std::int64_t longest_ns = 30'000'000;
  // The factor by which rewinds are taken to be longer than the constants say. For tests, whose
  // windows are small.
  std::int64_t slowness = 1;

  // About a fifth of the time goes to rewinding.
  static RewindPolicy Live() { return {.pause = 5}; }
};

// The clock's part in when rewinds happen. All lengths are RewindNs of the mode, which are
// constants of the configuration times positions; no duration is measured. A value type.
class RewindPacer {
 public:
  RewindPacer() = default;
  explicit RewindPacer(const RewindPolicy& policy) : policy_(policy) {}

  bool is_active() const { return policy_.pause > 0; }
  // A reading of the monotonic clock. Decisions are made as of the last one.
  void SetNow(std::int64_t steady_ns) { now_ns_ = steady_ns; }

  bool MayBegin() const { return now_ns_ >= next_ns_; }
  bool IsLong(std::int64_t ns) const { return ns > policy_.longest_ns / policy_.slowness; }
  // A rewind of this length begins now. (The quotient keeps the product in range.)
  void Begin(std::int64_t ns) {
    next_ns_ = now_ns_ + std::min(ns, kMostNs / policy_.pause / policy_.slowness) * policy_.pause *
                             policy_.slowness;
    sliced_ns_ = now_ns_;
  }
  // How much of a rewind on a copy may be done now: half as much as the time since the last slice
  // began, so that at most half of the time goes to it, and at most as much as a short rewind is.
  std::int64_t TakeSlice() {
    const std::int64_t ns = std::min((now_ns_ - sliced_ns_) / 2, policy_.longest_ns);
    if (ns < policy_.slowness && ns < policy_.longest_ns) return 0;
    sliced_ns_ = now_ns_;
    return std::max<std::int64_t>(1, ns / policy_.slowness);
  }

 private:
  static constexpr std::int64_t kMostNs = std::int64_t{3'600'000'000'000};  // an hour

  RewindPolicy policy_;
  std::int64_t now_ns_ = 0;
  std::int64_t next_ns_ = 0;    // when the next rewind may begin
  std::int64_t sliced_ns_ = 0;  // when the last slice began
};

}  // namespace lethe
