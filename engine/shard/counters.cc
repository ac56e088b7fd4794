#include "engine/shard/counters.h"

#include "engine/base/check.h"

namespace lethe {

const char* Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kForgotten: return "forgotten";
    case Outcome::kNothingLearned: return "nothing_learned";
    case Outcome::kNotRetained: return "not_retained";
    case Outcome::kAlreadyForgotten: return "already_forgotten";
    case Outcome::kRejected: return "rejected";
  }
  LETHE_CHECK(false);
}

void Counters::Add(const Counters& other) {
  records += other.records;
  learned += other.learned;
  updates += other.updates;
  requests += other.requests;
  duplicates += other.duplicates;
  refused_late += other.refused_late;
  for (std::size_t i = 0; i < rejected.size(); ++i) rejected[i] += other.rejected[i];
  for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] += other.outcomes[i];
  notices += other.notices;
  forgotten_events += other.forgotten_events;
  effective_deletions += other.effective_deletions;
  draws += other.draws;
  noise_variance += other.noise_variance;
}

}  // namespace lethe
