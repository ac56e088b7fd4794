#include "engine/shard/model_json.h"

#include "engine/admission/feature_hash.h"
#include "engine/base/check.h"
#include "engine/shard/served_weights.h"
#include "engine/spec/features.h"

namespace lethe {
namespace {

// Writes the weights of output k of `outputs` as an array.
void WriteColumn(JsonWriter& json, const Vector& weights, Eigen::Index k, Eigen::Index outputs,
                 Eigen::Index dimension) {
  json.BeginArray();
  for (Eigen::Index i = 0; i < dimension; ++i) json.Value(weights[i * outputs + k]);
  json.EndArray();
}

}  // namespace

std::int64_t EventsBehind(const ShardReport& report) {
  return report.retention.empty() ? report.counters.learned + report.counters.updates
                                  : report.retained_events;
}

std::vector<ShardModel> ModelsOf(std::span<const std::shared_ptr<const ShardReport>> reports) {
  std::vector<ShardModel> models;
  models.reserve(reports.size());
  for (const auto& report : reports) {
    models.push_back({report->shard, report->state_id, report->model_version, report->clean_from,
                      EventsBehind(*report), &report->weights});
  }
  return models;
}

Vector AverageModels(std::span<const ShardModel> shards) {
  LETHE_CHECK(!shards.empty());
  if (shards.size() == 1) return *shards.front().weights;
  Vector weights = Vector::Zero(shards.front().weights->size());
  double total = 0;
  for (const ShardModel& shard : shards) {
    const auto count = static_cast<double>(shard.learned);
    total += count;
    weights += count * *shard.weights;
  }
  if (total > 0) weights /= total;
  return weights;
}

std::string ModelId(std::span<const ShardModel> shards, const Hasher& hasher) {
  std::string lines;
  for (const ShardModel& shard : shards) {
    lines += shard.state_id + " " + std::to_string(shard.shard.value) + " " +
             std::to_string(shard.model_version.value) + "\n";
  }
  const Digest digest = hasher.Sha256(lines);
  return ToHex(digest.data(), digest.size());
}

void WriteVersion(JsonWriter& json, std::span<const ShardModel> shards, const Hasher& hasher) {
  const bool is_one = shards.size() == 1;
  json.Key("model_version");
  is_one ? json.Value(shards.front().model_version.value) : json.Null();
  json.Key("clean_from");
  is_one ? json.Value(shards.front().clean_from.value) : json.Null();
  json.Field("model_id", ModelId(shards, hasher));
}

void WriteShards(JsonWriter& json, std::span<const ShardModel> shards) {
  json.Key("shards").BeginArray();
  for (const ShardModel& shard : shards) {
    json.BeginObject().Field("shard", shard.shard.value).Field("state", shard.state_id);
    json.Field("model_version", shard.model_version.value);
    json.Field("clean_from", shard.clean_from.value);
    json.Field("learned", shard.learned).EndObject();
  }
  json.EndArray();
}

std::string ModelJson(const PipelineInfo& info, std::span<const ShardModel> shards,
                      const Hasher& hasher) {
  return ModelJson(info, AverageModels(shards), shards, hasher);
}

std::string ModelJson(const PipelineInfo& info, const Vector& weights,
                      std::span<const ShardModel> shards, const Hasher& hasher) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.model/1");
  WriteVersion(json, shards, hasher);
  const Eigen::Index outputs = WeightsPerFeature(info);
  const Eigen::Index dimension = weights.size() / outputs - (info.bias ? 1 : 0);
  json.Field("loss", info.loss).Field("dimension", std::int64_t{dimension});
  if (info.hash_bits) {
    json.Field("hash_bits", *info.hash_bits).Field("hash", kFeatureHashName);
  }
  if (info.features) {
    if (!info.hash_bits) json.Field("inputs", info.dimension);
    WriteFeatures(json.Key("features"), info.features->spec(), ScaleForm::kNumbers);
  }
  if (info.classes > 0) {
    WriteClasses(json.Key("classes"), info);
    json.Key("weights").BeginArray();
    for (Eigen::Index k = 0; k < outputs; ++k) WriteColumn(json, weights, k, outputs, dimension);
    json.EndArray().Key("intercept").BeginArray();
    for (Eigen::Index k = 0; k < outputs; ++k) {
      json.Value(info.bias ? weights[dimension * outputs + k] : 0.0);
    }
    json.EndArray();
  } else {
    WriteColumn(json.Key("weights"), weights, 0, 1, dimension);
    json.Field("intercept", info.bias ? weights[weights.size() - 1] : 0.0);
  }
  json.Field("config", info.config_sha256);
  WriteShards(json, shards);
  // The digest is over the text of the document up to this point.
  const Digest digest = hasher.Sha256(json.text());
  return json.Field("sha256", ToHex(digest.data(), digest.size())).EndObject().text();
}

}  // namespace lethe
