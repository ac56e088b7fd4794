#include "http/status_json.h"

#include <algorithm>

#include "engine/shard/model_json.h"
#include "engine/shard/served_weights.h"
#include "engine/spec/features.h"

namespace lethe {
namespace {

using Reports = std::vector<std::shared_ptr<const ShardReport>>;

template <typename T>
void Known(JsonWriter& json, const char* key, const std::optional<T>& value) {
  json.Key(key);
  value ? json.Value(*value) : json.Null();
}

void Known(JsonWriter& json, const char* key, const std::optional<TimeMs>& time) {
  json.Key(key);
  time&&* time != kNoTime ? json.Value(time->value) : json.Null();
}

void WriteInfo(JsonWriter& json, const PipelineInfo& info) {
  json.Key("pipeline").BeginObject().Field("topic", info.topic).Field("mode", info.mode);
  json.Field("guarantee", info.guarantee).Field("loss", info.loss);
  json.Key("classes");
  info.classes > 0 ? WriteClasses(json, info) : void(json.Null());
  json.Field("schedule", info.schedule).Field("dimension", info.dimension);
  json.Field("bias", info.bias);
  Known(json, "hash_bits", info.hash_bits);
  json.Key("features");
  info.features ? WriteFeatures(json, info.features->spec(), ScaleForm::kHash) : void(json.Null());
  json.Field("config", info.config_sha256);
  Known(json, "deadline_seconds", info.deadline_seconds);
  json.Field("certified", info.certified).Key("promise");
  if (info.certified && info.shards > 0) {
    json.BeginObject().Field("mu", info.promise.mu).Field("rho", info.promise.rho);
    json.Field("epsilon", info.promise.epsilon).Field("delta", info.promise.delta);
    json.Field("advantage", info.promise.advantage);
    json.Field("shards", info.shards).Field("shard_mu", info.shard_promise.mu).EndObject();
  } else {
    json.Null();
  }
  json.EndObject();
}

// Writes the members without braces, into an object that has further members.
void WriteCounters(JsonWriter& json, const Counters& counters) {
  json.Field("records", counters.records).Field("learned", counters.learned);
  json.Field("updates", counters.updates).Field("requests", counters.requests);
  json.Field("duplicates", counters.duplicates).Field("refused_late", counters.refused_late);
  json.Key("rejected").BeginObject();
  for (std::size_t i = 0; i < counters.rejected.size(); ++i) {
    if (counters.rejected[i] > 0) {
      json.Field(ReasonName(static_cast<Reason>(i)), counters.rejected[i]);
    }
  }
  json.EndObject().Key("outcomes").BeginObject();
  for (std::size_t i = 0; i < counters.outcomes.size(); ++i) {
    json.Field(Name(static_cast<Outcome>(i)), counters.outcomes[i]);
  }
  json.EndObject().Field("forgotten_events", counters.forgotten_events);
  json.Field("effective_deletions", counters.effective_deletions);
}

// Figures of a shard that no commit covers.
struct Live {
  std::optional<std::int64_t> lag, queue;
  std::optional<double> commit_time;
};

Live LiveOf(const PipelineMetrics& metrics, ShardId shard) {
  const PipelineMetrics::ShardMetrics* live = metrics.find(shard);
  if (live == nullptr) return {};
  return {live->lag(), live->queue(), live->commit_time()};
}

// Since when nothing older has any influence; null in a mode without a window.
void WriteExpiry(JsonWriter& json, const ShardReport& report) {
  json.Key("expiry");
  if (report.retention.empty()) {
    json.Null();
    return;
  }
  json.BeginObject().Field("retention", report.retention).Field("slides", report.slides);
  json.Field("oldest_influence_index", report.oldest_influence.value);
  Known(json, "oldest_influence_ms", report.oldest_influence_time);
  json.Key("expired_since_version");
  report.slides > 0 ? json.Value(report.expired_since.value) : json.Null();
  json.Field("lacks_clock", report.lacks_clock).EndObject();
}

void WriteTotals(JsonWriter& json, const Reports& reports, const PipelineMetrics& metrics,
                 const Hasher& hasher) {
  Counters counters;
  std::int64_t retained = 0;
  std::int64_t pending = 0;
  std::optional<TimeMs> oldest;
  std::int64_t lag = 0;
  bool is_lag_known = !reports.empty();  // whether the lag of every shard is known
  for (const auto& report : reports) {
    counters.Add(report->counters);
    retained += report->retained_events;
    pending += report->pending_requests;
    if (report->oldest_pending) {
      oldest = oldest ? std::min(*oldest, *report->oldest_pending) : report->oldest_pending;
    }
    const auto more = LiveOf(metrics, report->shard).lag;
    is_lag_known &= more.has_value();
    lag += more.value_or(0);
  }
  json.Key("totals").BeginObject();
  WriteCounters(json, counters);
  WriteVersion(json, ModelsOf(reports), hasher);
  json.Field("retained_events", retained);
  json.Field("pending_requests", pending);
  Known(json, "oldest_pending_ms", oldest);
  json.Key("lag_records");
  is_lag_known ? json.Value(lag) : json.Null();
  json.EndObject();
}

void WriteKafka(JsonWriter& json, const PipelineMetrics::Brokers& brokers) {
  json.Key("kafka").BeginObject();
  Known(json, "connected_brokers", brokers.connected);
  json.Key("last_contact_ms");
  brokers.last_contact ? json.Value(static_cast<std::int64_t>(*brokers.last_contact * 1000))
                       : json.Null();
  json.EndObject();
}

void WriteTroubles(JsonWriter& json, const PublishedState& published) {
  json.Key("troubles").BeginArray();
  for (const PublishedState::Trouble& trouble : published.troubles()) {
    json.BeginObject().Field("time_ms", trouble.time_ms).Field("message", trouble.message);
    json.EndObject();
  }
  json.EndArray();
}

// Tells the dashboard whether erasure requests are possible, and which subjects to propose.
void WriteForget(JsonWriter& json, const ErasureGateway* gateway) {
  json.Key("forget");
  if (gateway == nullptr) {
    json.Null();
    return;
  }
  json.BeginObject().Key("suggestions").BeginArray();
  for (const std::string& name : gateway->Suggestions()) json.Value(name);
  json.EndArray().EndObject();
}

}  // namespace

std::string StatusJson(const PublishedState& published, const PipelineMetrics& metrics,
                       const Hasher& hasher, const HttpExtras& extras) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.status/1").Field("version", metrics.version());
  json.Field("uptime_seconds", metrics.uptime_seconds());
  const std::vector<std::string> not_ready = published.not_ready();
  json.Field("healthy", !published.unhealthy()).Field("ready", not_ready.empty());
  json.Key("not_ready").BeginArray();
  for (const std::string& reason : not_ready) json.Value(reason);
  json.EndArray();
  WriteInfo(json, published.info());
  WriteKafka(json, metrics.brokers());
  const Reports reports = published.reports();
  WriteTotals(json, reports, metrics, hasher);
  json.Key("shards").BeginArray();
  for (const auto& report : reports) {
    json.BeginObject().Field("shard", report->shard.value);
    json.Field("model_version", report->model_version.value);
    json.Field("pending_requests", report->pending_requests);
    Known(json, "last_event_ms", report->last_event);
    Known(json, "lag_records", LiveOf(metrics, report->shard).lag);
    WriteExpiry(json, *report);
    json.EndObject();
  }
  json.EndArray();
  WriteTroubles(json, published);
  WriteForget(json, extras.forget);
  return json.EndObject().text();
}

std::string ShardsJson(const PublishedState& published, const PipelineMetrics& metrics) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.shards/1").Key("shards").BeginArray();
  for (const auto& report : published.reports()) {
    json.BeginObject().Field("shard", report->shard.value).Field("state", report->state_id);
    json.Field("next_offset", report->next.value);
    json.Field("model_version", report->model_version.value);
    json.Field("clean_from", report->clean_from.value);
    json.Field("retained_events", report->retained_events);
    WriteCounters(json, report->counters);
    json.Field("pending_requests", report->pending_requests);
    Known(json, "oldest_pending_ms", report->oldest_pending);
    Known(json, "last_event_ms", report->last_event);
    json.Field("half_life_events", report->half_life);
    WriteExpiry(json, *report);
    Known(json, "noise_stddev", report->last_sigma);
    Known(json, "loss_total", report->loss_total);
    Known(json, "loss_events", report->loss_events);
    Known(json, "unknown_members", report->unknown_members);
    Known(json, "regret_bound", report->regret_bound);
    json.Field("regret_noise_bound", report->regret_noise_bound);
    json.Key("chain").BeginObject().Field("entries", report->chain_entries);
    json.Field("head", report->chain_head).EndObject();
    const Live live = LiveOf(metrics, report->shard);
    Known(json, "lag_records", live.lag);
    Known(json, "queue_records", live.queue);
    Known(json, "commit_timestamp_seconds", live.commit_time);
    json.EndObject();
  }
  return json.EndArray().EndObject().text();
}

}  // namespace lethe
