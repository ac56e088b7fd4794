#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/ports/hash.h"
#include "engine/report.h"
#include "engine/types.h"

namespace lethe {

// What one shard contributes to the model of a process. `weights` is borrowed.
struct ShardModel {
  ShardId shard;
  ModelVersion model_version;
  ModelVersion clean_from;
  std::int64_t learned = 0;  // steps taken, which is public
  const Vector* weights = nullptr;
};

// The reports outlive what is returned.
std::vector<ShardModel> ModelsOf(std::span<const std::shared_ptr<const ShardReport>> reports);

// The shards' weights averaged by what each has learned; versions are added up. One shard is passed
// on bit for bit. Needs at least one shard.
struct AveragedModel {
  Vector weights;  // with the bias, one more than features
  ModelVersion model_version;
  ModelVersion clean_from;
};
AveragedModel AverageModels(std::span<const ShardModel> shards);

// The document lethe.model/1, one line. Of the facts it takes what describes the model.
std::string ModelJson(const PipelineFacts& facts, std::span<const ShardModel> shards,
                      const Hasher& hasher);

// The same for an average that was made already; of the shards, weights are not looked at.
std::string ModelJson(const PipelineFacts& facts, const AveragedModel& model,
                      std::span<const ShardModel> shards, const Hasher& hasher);

}  // namespace lethe
