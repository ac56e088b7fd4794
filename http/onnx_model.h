#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/types.h"
#include "engine/shard/model_json.h"

namespace lethe {

// A linear model and its metadata, to be written as an ONNX file.
struct OnnxModel {
  std::string loss;
  // One row of weights and one intercept for each output: K of softmax, else one.
  std::vector<Vector> weights;
  std::vector<double> intercepts;
  std::vector<std::string> class_names = {};  // of softmax; empty: the classes are 0 to K - 1
  std::optional<std::int64_t> hash_bits;
  std::shared_ptr<const FeatureMap> features = nullptr;  // nullptr: rows are used as they are
  std::string model_id;
  std::vector<ShardModel> shards;  // their weights are not used
  std::string config_sha256;
  // For each shard, the SHA-256 of the last entry of its receipt chain. May be empty.
  std::vector<std::pair<ShardId, std::string>> receipts;
};

// Makes the model from the averaged weights, with the metadata of `info` and the shards. If the
// model has a bias, the last weight of each output is its intercept. `receipts` is left empty.
OnnxModel OnnxModelOf(const PipelineInfo& info, const Vector& weights,
                      std::span<const ShardModel> shards, const Hasher& hasher);

// The bytes of a .onnx file in float32 with one node of ai.onnx.ml on input "x" [N, inputs], behind
// the nodes of the maps of features if there are any; a hashed row has 2^hash_bits values. For
// the logistic loss it is a LinearClassifier with outputs "label" (-1 or 1) and "probabilities" [N,
// 2], of -1 and of 1; for softmax the same with the K classes and [N, K]; otherwise a
// LinearRegressor with output "prediction" [N, 1]. docs/http.md lists the metadata. The same model
// gives the same bytes.
std::string OnnxBytes(const OnnxModel& model);

}  // namespace lethe
