#pragma once

#include "engine/shard/report.h"
#include "metrics/families.h"

namespace lethe {

// What the configuration promises: no shard, known from the start.
void AddInfo(const PipelineInfo& info, Families& families);

// What a committed report tells of its shard.
void AddReport(const PipelineInfo& info, const ShardReport& report, Families& families);

}  // namespace lethe
