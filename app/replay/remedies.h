#pragma once

#include <string>

#include "engine/ports/event.h"
#include "engine/shard/counters.h"

namespace lethe {

// What to do about records that were refused for this reason. The text is static.
const char* RemedyOf(Reason reason);

// A line "  reason: what to do" for each reason that occurred; empty if nothing was refused.
std::string RemediesOf(const Counters& counters);

}  // namespace lethe
