#pragma once

#include <cstdio>

#include "app/replay/replay.h"

namespace lethe {

// The outcome of a replay for a person.
void PrintReport(const Plan& plan, const ReplayResult& result, std::FILE* out);

// What the user should know about the input: records that were refused, a stream that taught
// nothing.
void PrintWarnings(const ReplayResult& result, std::FILE* out);

}  // namespace lethe
