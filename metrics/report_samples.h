#pragma once

#include "engine/shard/report.h"
#include "metrics/families.h"

namespace lethe {

// Adds the metrics of the configuration, which have no shard and are known from the start:
// deadline, dimensions, and the privacy guarantee if there is one.
void AddInfo(const PipelineInfo& info, Families& families);

// Adds the metrics of one shard from its committed report.
void AddReport(const PipelineInfo& info, const ShardReport& report, Families& families);

}  // namespace lethe
