#pragma once

#include "engine/modes/registry.h"
#include "engine/ports/hash.h"
#include "engine/report.h"

namespace lethe {

// What is known of a run before it starts, for whoever looks at it.
PipelineFacts FactsOf(const Plan& plan, const Hasher& hasher);

}  // namespace lethe
