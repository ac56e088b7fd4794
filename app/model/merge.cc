#include "app/model/merge.h"

#include <algorithm>
#include <set>

#include <simdjson.h>

#include "app/config/read_file.h"
#include "engine/base/json.h"
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

Status CheckTogether(const std::vector<ModelFile>& files) {
  std::set<ShardId> seen;
  for (const ModelFile& file : files) {
    const ModelFile& first = files.front();
    if (file.config_sha256 != first.config_sha256 || file.weights.size() != first.weights.size() ||
        file.loss != first.loss || file.hash_bits != first.hash_bits ||
        file.classes != first.classes || file.class_names != first.class_names) {
      return Bad(file.path, "is of another configuration than " + first.path);
    }
    for (const ShardModel& shard : file.shards) {
      if (seen.insert(shard.shard).second) continue;
      return Bad(file.path, "shard " + std::to_string(shard.shard.value) +
                                " is in another file too, and would count twice");
    }
  }
  return Status::Ok();
}

}  // namespace

PipelineInfo PipelineInfoOf(const ModelFile& file) {
  PipelineInfo info;
  info.loss = file.loss;
  info.config_sha256 = file.config_sha256;
  info.hash_bits = file.hash_bits;
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
  return file;
}

Result<std::string> MergeModels(std::vector<ModelFile> files, const Hasher& hasher) {
  LETHE_CHECK(!files.empty());
  LETHE_RETURN_IF_ERROR(CheckTogether(files));
  // Sums in floating point depend on the order, so the files are sorted by shard.
  std::sort(files.begin(), files.end(), [](const ModelFile& a, const ModelFile& b) {
    return a.shards.front().shard < b.shards.front().shard;
  });
  std::vector<ShardModel> parts;
  std::vector<ShardModel> shards;
  for (const ModelFile& file : files) {
    ShardModel part;
    part.learned = file.learned;
    part.weights = &file.weights;
    parts.push_back(part);
    shards.insert(shards.end(), file.shards.begin(), file.shards.end());
  }
  std::sort(shards.begin(), shards.end(),
            [](const ShardModel& a, const ShardModel& b) { return a.shard < b.shard; });
  return ModelJson(PipelineInfoOf(files.front()), AverageModels(parts), shards, hasher);
}

}  // namespace lethe
