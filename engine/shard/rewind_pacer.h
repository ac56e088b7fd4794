#pragma once

#include <algorithm>
#include <cstdint>

namespace lethe {

// How a live run spreads its rewinds (docs/guarantee.md, "When a rewind happens").
struct RewindPolicy {
  // A rewind may begin this many times its own length after the one before it has begun. 0: there
  // is no pause, no copy and no clock, and every request is served at its record.
  std::int64_t pause = 0;
  // The same while records wait to be read, if it is more: then each rewind serves more requests.
  std::int64_t pause_under_load = 0;
  // A longer rewind runs on a copy while learning goes on.
  std::int64_t longest_ns = 30'000'000;
  // The factor by which rewinds are taken to be longer than the constants say. For tests, whose
  // windows are small.
  std::int64_t slowness = 1;

  // At most a fifth of the time goes to rewinding, and about a sixteenth of it under load.
  static RewindPolicy Live() { return {.pause = 5, .pause_under_load = 16}; }
};

// The clock's part in when rewinds happen. All lengths are RewindNs of the mode, which are
// constants of the configuration times positions; no duration is measured. A value type.
class RewindPacer {
 public:
  RewindPacer() = default;
  explicit RewindPacer(const RewindPolicy& policy) : policy_(policy) {}

  bool is_active() const { return policy_.pause > 0; }
  // A reading of the monotonic clock, and whether records wait to be read. Decisions are made as of
  // the last one.
  void SetNow(std::int64_t steady_ns, bool is_loaded = false) {
    now_ns_ = steady_ns;
    is_loaded_ = is_loaded;
  }

  bool MayBegin() const { return now_ns_ >= (is_loaded_ ? next_under_load_ns_ : next_ns_); }
  bool IsLong(std::int64_t ns) const { return ns > policy_.longest_ns / policy_.slowness; }
  // A rewind of this length begins now. (The quotient keeps the product in range.)
  void Begin(std::int64_t ns) {
    const std::int64_t under_load = std::max(policy_.pause, policy_.pause_under_load);
    next_ns_ = now_ns_ + Pause(ns, policy_.pause);
    next_under_load_ns_ = now_ns_ + Pause(ns, under_load);
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

  std::int64_t Pause(std::int64_t ns, std::int64_t times) const {
    return std::min(ns, kMostNs / times / policy_.slowness) * times * policy_.slowness;
  }

  RewindPolicy policy_;
  std::int64_t now_ns_ = 0;
  bool is_loaded_ = false;
  std::int64_t next_ns_ = 0;  // when the next rewind may begin
  std::int64_t next_under_load_ns_ = 0;
  std::int64_t sliced_ns_ = 0;  // when the last slice began
};

}  // namespace lethe
