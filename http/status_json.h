#pragma once

#include <string>

#include "engine/ports/hash.h"
#include "http/extras.h"
#include "metrics/pipeline_metrics.h"
#include "metrics/published_state.h"

namespace lethe {

// Writes lethe.status/1: the process, its configuration, totals over its shards, and one line for
// each shard. Thread-safe, like ShardsJson.
std::string StatusJson(const PublishedState& published, const PipelineMetrics& metrics,
                       const Hasher& hasher, const HttpExtras& extras);

// Writes lethe.shards/1: all published figures of each shard, without the weights.
std::string ShardsJson(const PublishedState& published, const PipelineMetrics& metrics);

}  // namespace lethe
