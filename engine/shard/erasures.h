#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/archive.h"
#include "engine/base/status.h"
#include "engine/ports/state.h"
#include "engine/shard/stopwatch.h"

namespace lethe {

// An effective request whose events may still be on disk; or, without a receipt, a slide of the
// window, whose notice then has the hash.
struct Erasure {
  Uuid receipt{};
  std::string receipt_sha256;
  TimeMs effective = kNoTime;  // event time
  TimeMs received = kNoTime;   // as in the receipt; `received` and `waited` are in Part::kClock
  Stopwatch waited;

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.receipt, self.receipt_sha256, self.effective);
  }
};

// The erasures that a shard still has to do, in order of event time. Under load there are very
// many, so the cost of a commit must not grow with their number: the first kWithShard are saved
// with the shard, and the others in a part of their own, to which a commit appends the new ones.
// Not thread-safe. Only Load can fail.
class Erasures {
 public:
  static constexpr std::size_t kWithShard = 64;

  void Add(Erasure erasure) { all_.push_back(std::move(erasure)); }
  bool empty() const { return all_.empty(); }
  const Erasure& front() const { return all_.front(); }
  const std::vector<Erasure>& all() const { return all_; }
  // All are done.
  void Clear();

  // Whether one has waited for `limit_ms` by the clocks of the process. Starts the stopwatches of
  // those that were added since the last call.
  bool HasWaited(const ClockReading& now, std::int64_t limit_ms);

  // Writes what has changed since the last call, without the first kWithShard. Returns whether
  // there are others, which a program that does not know the part would lose.
  bool Save(State& state);
  // Adds those that Save has written. Call it after the first ones were loaded. kInput: the part
  // is damaged.
  Status Load(const State& state);

  // The times of the first ones for Part::kClock: of the request, and when the wait began.
  std::vector<std::pair<TimeMs, TimeMs>> FirstTimes() const;
  // Sets them again. Returns false if their number is another one.
  bool SetFirstTimes(const std::vector<std::pair<TimeMs, TimeMs>>& times);

  // The first ones alone.
  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    if constexpr (std::is_const_v<Self>) {
      archive(self.first());
      for (std::size_t i = 0; i < self.first(); ++i) archive(self.all_[i]);
    } else {
      archive(self.all_);
    }
  }

 private:
  std::size_t first() const { return std::min(all_.size(), kWithShard); }

  std::vector<Erasure> all_;
  std::size_t started_ = 0;             // stopwatches that run
  std::optional<std::size_t> longest_;  // which of them has waited longest
  // Of the part in the state: where its erasures end, those that have the beginning of their wait
  // end, and whether it is not empty.
  std::size_t saved_ = kWithShard;
  std::size_t saved_started_ = kWithShard;
  bool is_stored_ = false;
};

}  // namespace lethe
