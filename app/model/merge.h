#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/ports/hash.h"
#include "engine/shard/model_json.h"

namespace lethe {

// A lethe.model/1 document whose digest was verified.
struct ModelFile {
  std::string path;
  std::string loss;
  std::string config_sha256;
  std::optional<std::int64_t> hash_bits;
  // A model with one output: its weights, and last the intercept. Softmax: the weights of each
  // feature for all classes, and last the intercepts (engine/shard/served_weights.h).
  Vector weights;
  std::int64_t classes = 0;              // of softmax, else 0
  std::vector<std::string> class_names;  // empty if the classes are numbers
  std::vector<ShardModel> shards;        // without weights
  std::int64_t learned = 0;              // events, by all shards
};

// The information about the run that the document has.
PipelineInfo PipelineInfoOf(const ModelFile& file);

// Reads a document. kInput if it is not a lethe.model/1 document, or if its sha256 does not match.
Result<ModelFile> ReadModel(const std::string& path, const Hasher& hasher);

// The average of the models, weighted by the number of learned events, as one document. The order
// of the files does not matter. With one shard per file, the result is bit for bit the model that
// one process with all these shards serves. kInput if the files have different configurations, or
// if a shard is in two files.
Result<std::string> MergeModels(std::vector<ModelFile> files, const Hasher& hasher);

}  // namespace lethe
