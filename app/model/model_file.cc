#include "app/model/model_file.h"

#include <algorithm>
#include <utility>

#include <simdjson.h>

#include "app/config/read_file.h"
#include "app/model/model_features.h"
#include "engine/admission/feature_encoder.h"
#include "engine/admission/feature_hash.h"
#include "engine/base/json.h"
#include "engine/spec/features.h"
#include "engine/spec/spec.h"

namespace lethe {
namespace {

namespace dom = simdjson::dom;

// The largest file that is read: 2^24 hashed features with 24 characters each.
constexpr std::size_t kLargestModel = std::size_t{1} << 29;

Status Bad(const std::string& path, const std::string& why) {
  return {ErrorCode::kInput, path + ": " + why};
}

// Whether the digest matches. It is over the bytes before its own member.
bool IsWhole(const std::string& text, const dom::element& document, const Hasher& hasher) {
  std::string_view stated;
  const std::size_t at = text.rfind(",\"sha256\"");
  if (at == std::string::npos || document["sha256"].get(stated) != simdjson::SUCCESS) return false;
  const Digest digest = hasher.Sha256(std::string_view(text).substr(0, at));
  return stated == ToHex(digest.data(), digest.size());
}

bool ReadShards(const dom::element& document, ModelFile& file) {
  dom::array shards;
  if (document["shards"].get(shards) != simdjson::SUCCESS || shards.size() == 0) return false;
  for (const auto& element : shards) {
    ShardModel shard;
    std::string_view state;
    if (element["shard"].get(shard.shard.value) != simdjson::SUCCESS ||
        element["state"].get(state) != simdjson::SUCCESS ||
        element["model_version"].get(shard.model_version.value) != simdjson::SUCCESS ||
        element["clean_from"].get(shard.clean_from.value) != simdjson::SUCCESS ||
        element["learned"].get(shard.learned) != simdjson::SUCCESS || shard.learned < 0) {
      return false;
    }
    shard.state_id = state;
    file.learned += shard.learned;
    file.shards.push_back(shard);
  }
  return true;
}

// Reads the classes of a softmax model: names, or the numbers from 0.
bool ReadClasses(const dom::element& document, ModelFile& file) {
  dom::array classes;
  if (document["classes"].get(classes) != simdjson::SUCCESS || classes.size() < 2) return false;
  for (const dom::element element : classes) {
    std::string_view name;
    std::int64_t number = 0;
    if (element.get(name) == simdjson::SUCCESS) {
      file.class_names.emplace_back(name);
    } else if (element.get(number) != simdjson::SUCCESS || number != file.classes) {
      return false;
    }
    ++file.classes;
  }
  return file.class_names.empty() ||
         file.class_names.size() == static_cast<std::size_t>(file.classes);
}

// Reads a row of weights for each class, and an intercept for each.
bool ReadClassWeights(const dom::element& document, ModelFile& file) {
  dom::array rows, intercepts;
  const auto classes = static_cast<std::size_t>(file.classes);
  if (document["weights"].get(rows) != simdjson::SUCCESS || rows.size() != classes ||
      document["intercept"].get(intercepts) != simdjson::SUCCESS || intercepts.size() != classes) {
    return false;
  }
  Eigen::Index dimension = -1;
  Eigen::Index k = 0;
  const auto step = static_cast<Eigen::Index>(classes);
  for (const dom::element row : rows) {
    dom::array weights;
    if (row.get(weights) != simdjson::SUCCESS) return false;
    const auto count = static_cast<Eigen::Index>(weights.size());
    if (dimension < 0) {
      dimension = count;
      file.weights.resize((dimension + 1) * step);
    }
    if (count != dimension) return false;
    Eigen::Index at = k++;
    for (const dom::element weight : weights) {
      if (weight.get(file.weights[at]) != simdjson::SUCCESS) return false;
      at += step;
    }
  }
  Eigen::Index at = dimension * step;
  for (const dom::element intercept : intercepts) {
    if (intercept.get(file.weights[at++]) != simdjson::SUCCESS) return false;
  }
  return true;
}

bool ReadWeights(const dom::element& document, ModelFile& file) {
  if (file.loss == Name(LossKind::kSoftmax)) {
    return ReadClasses(document, file) && ReadClassWeights(document, file);
  }
  dom::array weights;
  double intercept = 0;
  if (document["weights"].get(weights) != simdjson::SUCCESS ||
      document["intercept"].get(intercept) != simdjson::SUCCESS) {
    return false;
  }
  file.weights.resize(static_cast<Eigen::Index>(weights.size()) + 1);
  Eigen::Index i = 0;
  for (const auto& element : weights) {
    if (element.get(file.weights[i++]) != simdjson::SUCCESS) return false;
  }
  file.weights[i] = intercept;
  return true;
}

// Reads what a row is before it meets the weights: its length or its bits, and the maps.
Status ReadInputs(const dom::element& document, ModelFile& file) {
  const Eigen::Index outputs = std::max<Eigen::Index>(1, file.classes);
  const std::int64_t weights = file.weights.size() / outputs - 1;
  ModelSpec model;
  model.hash_bits = file.hash_bits;
  if (file.hash_bits && (*file.hash_bits < 1 || *file.hash_bits > kMaxHashBits)) {
    return {ErrorCode::kInput, "hash_bits is out of range"};
  }
  FeaturesSpec features;
  dom::element maps;
  if (document["features"].get(maps) == simdjson::SUCCESS) {
    LETHE_RETURN_IF_ERROR(ReadModelFeatures(maps, features));
  }
  if (!file.hash_bits) {
    const bool is_stated = document["inputs"].get(file.inputs) == simdjson::SUCCESS;
    if (!is_stated) file.inputs = weights;
    model.dimension = file.inputs;
  }
  LETHE_RETURN_IF_ERROR(CheckFeatures(model, features));
  file.features = FeatureMap::Make(model, features);
  if (FeatureEncoder(model, file.features).input_dimension() == weights) return Status::Ok();
  return {ErrorCode::kInput, "has weights for another number of features than it takes"};
}

}  // namespace

PipelineInfo PipelineInfoOf(const ModelFile& file) {
  PipelineInfo info;
  info.loss = file.loss;
  info.config_sha256 = file.config_sha256;
  info.hash_bits = file.hash_bits;
  info.dimension = file.inputs;
  info.features = file.features;
  info.classes = file.classes;
  info.class_names = file.class_names;
  info.bias = true;  // the last weight is the intercept, even if it is 0
  return info;
}

Result<ModelFile> ReadModel(const std::string& path, const Hasher& hasher) {
  const auto text = config::ReadWholeFile(path, "the model", kLargestModel);
  if (!text.ok()) return Bad(path, text.status().message());
  dom::parser parser;
  dom::element document;
  std::string_view format;
  if (parser.parse(text.value()).get(document) != simdjson::SUCCESS ||
      document["format"].get(format) != simdjson::SUCCESS || format != "lethe.model/1") {
    return Bad(path, "is no model (lethe.model/1)");
  }
  if (!IsWhole(text.value(), document, hasher)) {
    return Bad(path, "was changed after it was written: its sha256 does not fit");
  }
  ModelFile file;
  file.path = path;
  std::string_view loss;
  std::string_view config;
  std::int64_t bits = 0;
  if (document["loss"].get(loss) != simdjson::SUCCESS ||
      document["config"].get(config) != simdjson::SUCCESS || !ReadShards(document, file)) {
    return Bad(path, "lacks a part of a model");
  }
  file.loss = loss;
  if (!ReadWeights(document, file)) return Bad(path, "lacks a part of a model");
  file.config_sha256 = config;
  if (document["hash_bits"].get(bits) == simdjson::SUCCESS) file.hash_bits = bits;
  if (const Status status = ReadInputs(document, file); !status.ok()) {
    return Bad(path, status.message());
  }
  return file;
}

}  // namespace lethe
