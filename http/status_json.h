#pragma once

#include <string>

#include "engine/ports/hash.h"
#include "http/extras.h"
#include "metrics/pipeline_metrics.h"
#include "metrics/published_state.h"

namespace lethe {

// lethe.status/1: the process, what it runs, totals over its shards, one line for each.
std::string StatusJson(const PublishedState& published, const PipelineMetrics& metrics,
                       const Hasher& hasher, const HttpExtras& extras);

// lethe.shards/1: everything that is shown of each shard, but the weights.
std::string ShardsJson(const PublishedState& published, const PipelineMetrics& metrics);

}  // namespace lethe
