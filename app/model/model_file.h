#pragma once

#include <cstdint>
#include <memory>
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
  std::int64_t inputs = 0;  // the values of a dense row, before all maps; 0: named features
  std::shared_ptr<const FeatureMap> features;  // nullptr: a row is used as it is
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

// Reads a document. kInput if it is not a lethe.model/1 document, if its sha256 does not match, or
// if it has maps of features that this program does not know.
Result<ModelFile> ReadModel(const std::string& path, const Hasher& hasher);

}  // namespace lethe
