#pragma once

#include <memory>

#include "engine/modes/registry.h"

namespace lethe {

// The learner of a plan, as a shard has it. Everything outlives it.
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
