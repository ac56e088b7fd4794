#include "app/plan/forecast_report.h"
#include "app/plan/recommendation.h"
#include "engine/base/json.h"
#include "engine/shard/config_warnings.h"

namespace lethe {
namespace {

void Write(const NoiseForecast& noise, JsonWriter& json) {
  json.Field("sigma", noise.sigma).Field("share_of_radius", noise.share);
}

void Write(const std::vector<std::string>& texts, JsonWriter& json) {
  json.BeginArray();
  for (const std::string& text : texts) json.Value(text);
  json.EndArray();
}

void WriteHead(const Forecast& forecast, JsonWriter& json) {
  const Plan& plan = forecast.plan;
  const Constants& c = plan.constants;
  const auto why_not = plan.WhyNotCertified();
  const bool is_refused = !forecast.refused.empty();
  json.Field("mode", forecast.mode).Key("refused");
  is_refused ? json.Value(forecast.refused) : json.Null();
  json.Field("certified", !is_refused && why_not.empty());
  Write(why_not, json.Key("why_not"));
  Write(Warnings(plan), json.Key("warnings"));
  json.Key("constants").BeginObject().Field("G", c.G).Field("L", c.L).Field("beta", c.beta);
  json.Field("lambda", c.mu).Field("radius", c.radius).EndObject();
  const Promise served = forecast.served();
  json.Key("budget").BeginObject().Field("epsilon", served.epsilon);
  json.Field("delta", served.delta).Field("mu", served.mu).Field("rho", served.rho);
  json.Field("shards", plan.shards).Field("shard_mu", plan.budget.mu).EndObject();
  json.Field("weights", forecast.dimension).Field("events", forecast.events);
}

void WriteAges(const Forecast& forecast, JsonWriter& json) {
  json.Key("ages").BeginArray();
  for (const AgeForecast& row : forecast.ages) {
    json.BeginObject().Field("age", row.age).Field("influence", row.influence);
    Write(row.at_once, json);
    json.Field("rounding", row.rounding).Key("after_waiting").BeginArray();
    for (std::size_t i = 0; i < row.waited.size(); ++i) {
      json.BeginObject().Field("events", forecast.waits[i]);
      Write(row.waited[i], json);
      json.EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
}

void WriteWork(const char* name, const WorkForecast& work, JsonWriter& json) {
  json.Key(name).BeginObject();
  if (!work.refused.empty()) {
    json.Field("refused", work.refused).EndObject();
    return;
  }
  Write(work.noise, json);
  json.Field("events", work.events).Field("flops", work.flops).Field("payload_bytes", work.bytes);
  json.EndObject();
}

void WriteOptional(const char* name, std::optional<std::int64_t> value, JsonWriter& json) {
  json.Key(name);
  value ? json.Value(*value) : json.Null();
}

}  // namespace

std::string ForecastJson(const Forecast& forecast) {
  JsonWriter json;
  WriteHead(forecast, json.BeginObject());
  json.Field("step", forecast.step).Field("contraction", forecast.contraction);
  json.Field("half_life_events", forecast.half_life).Field("round_off", forecast.round_off);
  WriteOptional("configured_wait_events", forecast.configured_wait, json);
  WriteOptional("enough_wait_events", forecast.enough_wait, json);
  WriteAges(forecast, json);
  WriteWork("active", forecast.active, json);
  WriteWork("retrain", forecast.retrain, json);
  WriteRewind(forecast.rewind, json.Key("rewind"));
  WriteRewind(forecast.rewind_all, json.Key("rewind_all"));
  const Recommendation recommendation = Recommend(forecast);
  json.Key("recommendation").BeginObject().Field("text", recommendation.text);
  json.Field("config", recommendation.lines).Field("otherwise", recommendation.otherwise);
  json.Field("otherwise_config", recommendation.otherwise_lines);
  return json.EndObject().EndObject().text();
}

}  // namespace lethe
