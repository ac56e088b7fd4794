#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/ports/hash.h"
#include "engine/shard/model_json.h"

namespace lethe {

// A document lethe.model/1 that was read, whole and unchanged.
struct ModelFile {
  std::string path;
  std::string loss;
  std::string config_sha256;
  std::optional<std::int64_t> hash_bits;
  Vector weights;                  // with the intercept behind them
  std::vector<ShardModel> shards;  // without weights
  std::int64_t learned = 0;        // by all of them
};

// What is known of the run that made it.
PipelineInfo PipelineInfoOf(const ModelFile& file);

// kInput when it is no such document, or not the one that was written: its sha256 does not fit.
Result<ModelFile> ReadModel(const std::string& path, const Hasher& hasher);

// The average of the models, weighted by what each has learned, as one such document. Files in any
// order; one shard per file gives what a process with all these shards serves, bit for bit. kInput
// when they are not of one configuration, or a shard is in two.
Result<std::string> MergeModels(std::vector<ModelFile> files, const Hasher& hasher);

}  // namespace lethe
