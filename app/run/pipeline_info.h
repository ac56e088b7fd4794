#pragma once

#include "engine/plan.h"
#include "engine/ports/hash.h"
#include "engine/shard/report.h"

namespace lethe {

// The part of every report that follows from the plan alone.
PipelineInfo PipelineInfoOf(const Plan& plan, const Hasher& hasher);

}  // namespace lethe
