#pragma once

#include <cstdio>

#include "app/replay/replay.h"

namespace lethe {

// The outcome of a replay for a person.
void PrintReport(const Plan& plan, const ReplayResult& result, std::FILE* out);

// Warnings about the input: rejected records, or a stream from which nothing was learned.
void PrintWarnings(const ReplayResult& result, std::FILE* out);

}  // namespace lethe
