#pragma once

#include "engine/plan.h"
#include "engine/ports/hash.h"
#include "engine/shard/report.h"

namespace lethe {

// What every report of a run with this plan has in common.
PipelineInfo PipelineInfoOf(const Plan& plan, const Hasher& hasher);

}  // namespace lethe
