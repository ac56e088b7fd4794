#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/replay/evaluation.h"
#include "engine/modes/registry.h"
#include "engine/shard.h"
#include "engine/status.h"

namespace lethe {

struct ReplayOptions {
  std::string stream;               // a recorded stream; - is stdin
  std::optional<std::string> out;   // folder for the results; none: nothing is written
  std::int64_t series_every = 1000;
  std::size_t batch = 1024;         // records per read; changes nothing in the results
  bool show_progress = false;
};

// The end of one shard's run.
struct ShardResult {
  ShardId id;
  Counters counters;
  ModelVersion model_version;
  ModelVersion clean_from;
  double half_life = 0;
  Vector weights;
  std::int64_t chain_entries = 0;
  std::string chain_head;  // SHA-256 of the last entry
};

struct ReplayResult {
  std::vector<ShardResult> shards;  // in order of id
  Counters total;
  BadRecords bad_records;
  std::optional<double> mean_loss;
  std::optional<double> accuracy;
  std::string config_sha256;
  double seconds = 0;
};

// Runs a recorded stream through the engine: every partition is a shard. With `out`, the result
// files appear at the end, all of them or none.
Result<ReplayResult> Replay(const Plan& plan, const ReplayOptions& options);

}  // namespace lethe
