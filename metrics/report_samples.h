#pragma once

#include "engine/shard/report.h"
#include "metrics/families.h"

namespace lethe {

// What the configuration promises: no shard, known from the start.
void AddFacts(const PipelineFacts& facts, Families& families);

// What a committed report tells of its shard.
void AddReport(const PipelineFacts& facts, const ShardReport& report, Families& families);

}  // namespace lethe
