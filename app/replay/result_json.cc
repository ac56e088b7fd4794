#include <cmath>

#include "app/replay/result_files.h"
#include "app/run/pipeline_info.h"
#include "engine/base/json.h"
#include "engine/shard/model_json.h"

namespace lethe {
namespace {

void WriteCounters(JsonWriter& json, const Counters& counters) {
  json.Field("events", counters.records).Field("learned", counters.learned);
  json.Field("updates", counters.updates).Field("forgotten_events", counters.forgotten_events);
  json.Field("requests", counters.requests).Field("duplicates", counters.duplicates);
  json.Field("refused_late", counters.refused_late);
  json.Key("rejected").BeginObject();
  for (std::size_t i = 0; i < counters.rejected.size(); ++i) {
    if (counters.rejected[i] > 0) {
      json.Field(ReasonName(static_cast<Reason>(i)), counters.rejected[i]);
    }
  }
  json.EndObject();
}

void WriteOrNull(JsonWriter& json, const char* key, const std::optional<double>& value) {
  json.Key(key);
  value ? json.Value(*value) : json.Null();
}

std::vector<ShardModel> ModelsOf(const ReplayResult& result) {
  std::vector<ShardModel> shards;
  for (const ShardResult& shard : result.shards) {
    shards.push_back({shard.id, shard.state_id, shard.model_version, shard.clean_from,
                      shard.events_behind, &shard.weights});
  }
  return shards;
}

}  // namespace

std::string SummaryJson(const Plan& plan, const ReplayResult& result, const Hasher& hasher) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.summary/1");
  WriteCounters(json, result.total);
  json.Field("unknown_members", result.unknown_members);
  WriteOrNull(json, "accuracy", result.accuracy);
  WriteOrNull(json, "mean_loss", result.mean_loss);
  json.Key("metrics");
  WriteQuality(result.quality, plan.spec.model, json);
  WriteOrNull(json, "regret", result.regret());
  if (result.regret_sample) json.Field("regret_sample", *result.regret_sample);
  WriteOrNull(json, "regret_bound", result.regret_bound);
  json.Field("sigma_total", std::sqrt(result.total.noise_variance));
  json.Field("mode", plan.spec.forgetting.mode);
  json.Field("guarantee", Name(plan.spec.forgetting.guarantee));
  const Promise& served = plan.served;
  json.Field("mu", served.mu).Field("rho", served.rho);
  json.Field("epsilon", served.epsilon).Field("delta", served.delta);
  json.Field("advantage", served.advantage);
  json.Field("shards", plan.shards).Field("shard_mu", plan.promise.mu);
  json.Field("shard_epsilon", plan.promise.epsilon);
  const std::vector<std::string> why_not = result.WhyNotCertified(plan);
  json.Field("certified", why_not.empty()).Key("why_not").BeginArray();
  for (const std::string& reason : why_not) json.Value(reason);
  json.EndArray();
  std::int64_t waiting = 0;
  for (const ShardResult& shard : result.shards)
    waiting += static_cast<std::int64_t>(shard.waiting);
  json.Field("waiting_requests", waiting);
  json.Field("half_life_events", result.shards.front().half_life);
  WriteVersion(json, ModelsOf(result), hasher);
  json.Field("seconds", result.seconds);
  json.Field("events_per_second", static_cast<double>(result.total.records) / result.seconds);
  json.Field("config", result.config_sha256).Key("chains").BeginArray();
  for (const ShardResult& shard : result.shards) {
    json.BeginObject().Field("shard", shard.id.value).Field("entries", shard.chain_entries);
    json.Field("head", shard.chain_head).EndObject();
  }
  json.EndArray();
  json.Field("note",
             "accuracy, mean_loss and metrics are over the whole recording, deleted events "
             "included. They are "
             "for the holder of the recording and are not covered by the certificate");
  return json.EndObject().text();
}

std::string ModelJson(const Plan& plan, const ReplayResult& result, const Hasher& hasher) {
  return ModelJson(PipelineInfoOf(plan, hasher), ModelsOf(result), hasher);
}

}  // namespace lethe
