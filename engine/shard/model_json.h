#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/types.h"
#include "engine/ports/hash.h"
#include "engine/shard/report.h"

namespace lethe {

// What one shard contributes to the model of a process. `weights` is borrowed.
struct ShardModel {
  ShardId shard;
  std::string state_id;  // versions of different states cannot be compared
  ModelVersion model_version;
  ModelVersion clean_from;
  std::int64_t learned = 0;  // steps taken, which is public
  const Vector* weights = nullptr;
};

// The reports outlive what is returned.
std::vector<ShardModel> ModelsOf(std::span<const std::shared_ptr<const ShardReport>> reports);

// The shards' weights averaged by what each has learned; with the bias, one more than features. One
// shard is passed on bit for bit. Needs at least one shard.
Vector AverageModels(std::span<const ShardModel> shards);

// The name of an average: the SHA-256, in hex, over one line "STATE SHARD VERSION\n" per shard. Two
// averages of one run are the same if and only if their names are. It has no order; the versions of
// the shards have one each, and an average is only as new as each of them.
std::string ModelId(std::span<const ShardModel> shards, const Hasher& hasher);

// The members model_version and clean_from, which are null for an average of several shards, since
// no number of an average tells whether it is clean; and model_id.
void WriteVersion(JsonWriter& json, std::span<const ShardModel> shards, const Hasher& hasher);

// The member shards: what an average is made of. A copy of a model carries somebody who was
// forgotten since if one of its shards has a model_version below the present clean_from of the same
// shard of the same state.
void WriteShards(JsonWriter& json, std::span<const ShardModel> shards);

// The document lethe.model/1, one line. Of the info it takes what describes the model.
std::string ModelJson(const PipelineInfo& info, std::span<const ShardModel> shards,
                      const Hasher& hasher);

// The same for an average that was made already; of the shards, weights are not looked at.
std::string ModelJson(const PipelineInfo& info, const Vector& weights,
                      std::span<const ShardModel> shards, const Hasher& hasher);

}  // namespace lethe
