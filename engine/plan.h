#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/admission/feature_map.h"
#include "engine/modes/registry.h"

namespace lethe {

// The validated configuration of one shard with everything derived from it before any data is seen.
// A value type; immutable after Make, so threads may share one. `mode` points to a static entry.
struct Plan {
  // As the user stated it, with the budget of all shards, and with values for what is auto.
  Spec spec;
  Constants constants;
  Promise budget;   // the budget of one shard
  Promise promise;  // the promise of one shard: its budget, or all zeros if the mode is exact
  Schedule schedule;
  const ModeEntry* mode;
  std::shared_ptr<const FeatureMap> features = nullptr;  // nullptr: events are learned as they are
  std::int64_t shards = 1;  // partitions of the topic, over all processes
  // The promise for the served model, the average of the shards. With guarantee joint it is made to
  // all forgotten people together, with per_request to a person whose events one shard held.
  Promise served = promise;

  // Validates the spec and derives the plan. Fails (kConfig) with the key that is wrong and a
  // remedy. `shards` is the number of partitions of the topic, of which this process may run fewer.
  static Result<Plan> Make(const Spec& spec, std::int64_t shards = 1);

  // The promise for the served model to a person whose events `holders` shards held.
  Promise ServedTo(std::int64_t holders) const { return promise.Over(holders); }

  // Whether the promise holds even if requests depend on released models.
  bool AllowsAdaptiveRequests() const;

  // Fails (kConfig) if this mode works in `replay` and `compare` only, with these keys.
  Status CheckRun() const;

  // The reasons, known from the configuration alone, why no deletion will be certified. Empty if
  // deletions may be certified.
  std::vector<std::string> WhyNotCertified() const;
};

// The spec with values for what is auto. Plan::Make does this itself. An unknown mode gets the
// values of one that forgets by fading.
Spec WithDefaults(const Spec& stated);

// Makes the unlearner of a shard with this plan. It borrows the plan, the random source and the
// payloads, which must outlive it.
inline std::unique_ptr<Unlearner> MakeUnlearner(const Plan& plan, ShardId shard,
                                                RandomSource& random, Payloads& payloads) {
  return plan.mode->make({.spec = plan.spec,
                          .constants = plan.constants,
                          .schedule = plan.schedule,
                          .promise = plan.budget,
                          .shard = shard,
                          .random = random,
                          .payloads = payloads});
}

}  // namespace lethe
