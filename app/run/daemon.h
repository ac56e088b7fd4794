#pragma once

#include "app/config/config.h"
#include "app/run/witness.h"
#include "engine/modes/registry.h"

namespace lethe {

struct RunOptions {
  bool fail_fast = false;  // a broker or topic that is not there is an error, not waited for
  WitnessOptions witness;
};

// Learns and forgets from Kafka until a signal; ok after a clean stop.
Status RunDaemon(const Config& config, const Plan& plan, const RunOptions& options);

}  // namespace lethe
