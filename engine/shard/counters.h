#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/ports/event.h"

namespace lethe {

// The outcome of a request, as its receipt states it.
enum class Outcome { kForgotten, kNothingLearned, kAlreadyForgotten, kRejected, kNotRetained };
inline constexpr std::size_t kOutcomes = 5;
const char* Name(Outcome outcome);

// The counters of one shard since its state began. They are public: none depends on a payload. A
// value type.
//
// learned + updates + requests + duplicates + refused_late + the sum of rejected = records, apart
// from deletes that an update on another partition caused: these count in `records` alone.
struct Counters {
  std::int64_t records = 0;
  std::int64_t learned = 0;
  std::int64_t updates = 0;
  std::int64_t requests = 0;
  std::int64_t duplicates = 0;
  std::int64_t refused_late = 0;
  std::array<std::int64_t, static_cast<std::size_t>(Reason::kCount)> rejected{};
  std::array<std::int64_t, kOutcomes> outcomes{};  // receipts by outcome
  std::int64_t notices = 0;
  std::int64_t forgotten_events = 0;
  std::int64_t effective_deletions = 0;
  std::int64_t draws = 0;     // batches made effective; one may serve several requests
  double noise_variance = 0;  // the sum of sigma^2 over all draws

  // Reasons from this one on are not in Fields, and are saved by LaterReasons instead.
  static constexpr std::size_t kFirstLaterReason = 11;
  std::span<std::int64_t> LaterReasons() { return std::span(rejected).subspan(kFirstLaterReason); }

  // Adds every counter of `other`, for totals over shards.
  void Add(const Counters& other);

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.records, self.learned, self.updates, self.requests, self.duplicates,
            self.refused_late);
    for (std::size_t i = 0; i < kFirstLaterReason; ++i) archive(self.rejected[i]);
    // kNotRetained is saved in WindowRecord: only modes with a window have it.
    for (std::size_t i = 0; i < kOutcomes - 1; ++i) archive(self.outcomes[i]);
    archive(self.notices, self.forgotten_events, self.effective_deletions, self.draws,
            self.noise_variance);
  }
};

// What a shard with a window saves besides, in Part::kWindow. Event time is the shard's clock
// (Shard::TimeAfter). A value type.
struct WindowRecord {
  ModelVersion since;             // the first version without the events before the anchor
  std::int64_t retained = 0;      // events in the window
  std::int64_t not_retained = 0;  // receipts of this outcome
  // All events that arrived before this time have expired. kNoTime: not known.
  TimeMs expired_time = kNoTime;
  // Event time when the event of the anchor was learned. kNoTime: not learned yet, or not known.
  TimeMs anchor_time = kNoTime;
  // The first event that stays when the window slides next, and event time when it was learned.
  // kNoTime: it has not been learned.
  EventIndex middle;
  TimeMs middle_time = kNoTime;
  TimeMs refused_up_to = kNoTime;  // the largest Refusal::up_to so far

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.since, self.retained, self.not_retained, self.expired_time, self.anchor_time,
            self.middle, self.middle_time, self.refused_up_to);
  }
};

}  // namespace lethe
