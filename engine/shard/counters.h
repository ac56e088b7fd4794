#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/ports/event.h"

namespace lethe {

// What became of a request.
enum class Outcome { kForgotten, kNothingLearned, kAlreadyForgotten, kRejected };
inline constexpr std::size_t kOutcomes = 4;
const char* Name(Outcome outcome);

// What became of the records of a shard. Public: nothing here depends on payloads.
// learned + updates + requests + duplicates + refused_late + rejected = records.
struct Counters {
  std::int64_t records = 0;
  std::int64_t learned = 0;
  std::int64_t updates = 0;
  std::int64_t requests = 0;
  std::int64_t duplicates = 0;
  std::int64_t refused_late = 0;
  std::array<std::int64_t, static_cast<std::size_t>(Reason::kCount)> rejected{};
  std::array<std::int64_t, kOutcomes> outcomes{};  // receipts
  std::int64_t notices = 0;
  std::int64_t forgotten_events = 0;
  std::int64_t effective_deletions = 0;
  std::int64_t draws = 0;     // one may serve several deletions
  double noise_variance = 0;  // of all draws together

  void Add(const Counters& other);

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.records, self.learned, self.updates, self.requests, self.duplicates,
            self.refused_late, self.rejected, self.outcomes, self.notices, self.forgotten_events,
            self.effective_deletions, self.draws, self.noise_variance);
  }
};

}  // namespace lethe
