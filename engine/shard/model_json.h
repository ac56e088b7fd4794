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

// One shard's contribution to the averaged model. `weights` is borrowed.
struct ShardModel {
  ShardId shard;
  std::string state_id;  // versions are comparable within one state only
  ModelVersion model_version;
  ModelVersion clean_from;
  std::int64_t learned = 0;  // the events that it counts by in the average (EventsBehind)
  const Vector* weights = nullptr;
};

// The events by which a shard's model counts in an average: all learn steps or, where events
// expire, those that are retained. A shard whose window is empty does not count. Public.
std::int64_t EventsBehind(const ShardReport& report);

// The contributions of these reports. They borrow the weights, so the reports must outlive them.
std::vector<ShardModel> ModelsOf(std::span<const std::shared_ptr<const ShardReport>> reports);

// The mean of the shards' weights, weighted by the events behind each. The bias, if any, is the
// last weight. With one shard the result is a bit-exact copy. Requires at least one shard.
Vector AverageModels(std::span<const ShardModel> shards);

// The id of an averaged model: the SHA-256, in hex, over one line "STATE SHARD VERSION\n" per
// shard. Two averages of one run are equal if and only if their ids are. Ids are not ordered; to
// compare the age of two averages, compare the version of each shard.
std::string ModelId(std::span<const ShardModel> shards, const Hasher& hasher);

// Writes the members model_version, clean_from and model_id. The first two are null for an average
// of several shards, because no single number tells whether an average is clean.
void WriteVersion(JsonWriter& json, std::span<const ShardModel> shards, const Hasher& hasher);

// Writes the member `shards`, the parts of the average. A saved copy of a model still carries a
// forgotten event if one of its shards has a model_version below the present clean_from of the same
// shard of the same state.
void WriteShards(JsonWriter& json, std::span<const ShardModel> shards);

// The document lethe.model/1, in one line. From `info` it uses the loss, the classes, the bias, the
// hash bits, the maps of features and the configuration's hash. A softmax model has the members
// "classes", "weights" as a row for each class, and "intercept" as a number for each class.
std::string ModelJson(const PipelineInfo& info, std::span<const ShardModel> shards,
                      const Hasher& hasher);

// The same document for an average that is already computed. The weights of `shards` are not read
// and may be null.
std::string ModelJson(const PipelineInfo& info, const Vector& weights,
                      std::span<const ShardModel> shards, const Hasher& hasher);

}  // namespace lethe
