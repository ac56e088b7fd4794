#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/modes/registry.h"

namespace lethe {

// All that follows from a spec before any data is seen; fails (kConfig) with what is wrong.
struct Plan {
  Spec spec;
  Constants constants;
  Promise budget;   // what one shard may spend
  Promise promise;  // what one shard keeps: its budget, or nothing at all if the mode is exact
  Schedule schedule;
  const ModeEntry* mode;
  std::int64_t shards = 1;  // partitions of the topic, wherever they are run
  // What is kept by all that is served, the average of the shards: with guarantee joint for
  // everybody who was forgotten, with per_request for a person whose events one shard held.
  Promise served = promise;

  // `shards` is the topic's number of partitions, not that of the shards that one process runs.
  static Result<Plan> Make(const Spec& spec, std::int64_t shards = 1);

  // What is kept by all that is served for a person whose events `holders` shards held.
  Promise ServedTo(std::int64_t holders) const { return promise.Over(holders); }

  // Whether the promise holds also when requests depend on what was released.
  bool AllowsAdaptiveRequests() const;

  // Fails (kConfig) if a running engine cannot keep what this mode holds.
  Status CheckRun() const;

  // The reasons, known from the configuration alone, why no deletion will be certified.
  std::vector<std::string> WhyNotCertified() const;
};

// Makes the unlearner of a shard with this plan. Every argument must outlive it.
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
