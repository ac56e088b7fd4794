#include "engine/model_json.h"

#include "engine/check.h"
#include "engine/feature_hash.h"
#include "engine/json.h"

namespace lethe {

std::vector<ShardModel> ModelsOf(std::span<const std::shared_ptr<const ShardReport>> reports) {
  std::vector<ShardModel> models;
  models.reserve(reports.size());
  for (const auto& report : reports) {
    const Counters& counters = report->counters;
    models.push_back({report->shard, report->model_version, report->clean_from,
                      counters.learned + counters.updates, &report->weights});
  }
  return models;
}

AveragedModel AverageModels(std::span<const ShardModel> shards) {
  LETHE_CHECK(!shards.empty());
  AveragedModel model;
  for (const ShardModel& shard : shards) {
    model.model_version.value += shard.model_version.value;
    model.clean_from.value += shard.clean_from.value;
  }
  if (shards.size() == 1) {
    model.weights = *shards.front().weights;
    return model;
  }
  model.weights = Vector::Zero(shards.front().weights->size());
  double total = 0;
  for (const ShardModel& shard : shards) {
    const auto count = static_cast<double>(shard.learned);
    total += count;
    model.weights += count * *shard.weights;
  }
  if (total > 0) model.weights /= total;
  return model;
}

std::string ModelJson(const PipelineFacts& facts, std::span<const ShardModel> shards,
                      const Hasher& hasher) {
  return ModelJson(facts, AverageModels(shards), shards, hasher);
}

std::string ModelJson(const PipelineFacts& facts, const AveragedModel& model,
                      std::span<const ShardModel> shards, const Hasher& hasher) {
  const Vector& weights = model.weights;
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.model/1");
  json.Field("model_version", model.model_version.value);
  json.Field("clean_from", model.clean_from.value);
  const Eigen::Index dimension = weights.size() - (facts.bias ? 1 : 0);
  json.Field("loss", facts.loss).Field("dimension", std::int64_t{dimension});
  if (facts.hash_bits) {
    json.Field("hash_bits", *facts.hash_bits).Field("hash", kFeatureHashName);
  }
  json.Key("weights").BeginArray();
  for (Eigen::Index i = 0; i < dimension; ++i) json.Value(weights[i]);
  json.EndArray().Field("intercept", facts.bias ? weights[weights.size() - 1] : 0.0);
  json.Field("config", facts.config_sha256).Key("shards").BeginArray();
  for (const ShardModel& shard : shards) {
    json.BeginObject().Field("shard", shard.shard.value);
    json.Field("model_version", shard.model_version.value);
    json.Field("clean_from", shard.clean_from.value);
    json.Field("learned", shard.learned).EndObject();
  }
  json.EndArray();
  // Over the document as it is up to here.
  const Digest digest = hasher.Sha256(json.text());
  return json.Field("sha256", ToHex(digest.data(), digest.size())).EndObject().text();
}

}  // namespace lethe
