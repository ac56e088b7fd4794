#include "engine/shard/receipt.h"

#include <cstdio>

#include "engine/base/check.h"
#include "engine/base/json.h"
#include "engine/shard/receipt_text.h"

namespace lethe {
namespace {

constexpr std::size_t kMaxListedEvents = 100;

std::string ToText(const KeyHash& hash) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high),
                static_cast<unsigned long long>(hash.low));
  return text;
}

void WriteTime(JsonWriter& json, TimeMs time, const char* key = "timestamp") {
  json.Key(key);
  time == kNoTime ? json.Null() : json.Value(time.value);
}

template <typename T>
void WriteOrNull(JsonWriter& json, const char* key, const std::optional<T>& value) {
  json.Key(key);
  value ? json.Value(*value) : json.Null();
}

// Lists the offset and index of the first hundred forgotten events. If there are more, adds a
// digest over all of them.
void WriteEvents(JsonWriter& json, const Receipt& receipt, const Hasher& hasher) {
  json.Field("events", static_cast<std::int64_t>(receipt.events.size()));
  json.Key("learned").BeginArray();
  std::string all;
  for (std::size_t i = 0; i < receipt.events.size(); ++i) {
    const LearnedEvent& event = receipt.events[i];
    all += std::to_string(event.offset.value) + ":" + std::to_string(event.index.value) + "\n";
    if (i >= kMaxListedEvents) continue;
    json.BeginObject().Field("offset", event.offset.value).Field("index", event.index.value);
    json.EndObject();
  }
  json.EndArray();
  if (receipt.events.size() > kMaxListedEvents) {
    const Digest digest = hasher.Sha256(all);
    json.Field("learned_sha256", ToHex(digest.data(), digest.size()));
  }
}

void WriteShards(JsonWriter& json, const char* key, const std::vector<ShardId>& shards) {
  json.Key(key).BeginArray();
  for (const ShardId shard : shards) json.Value(shard.value);
  json.EndArray();
}

// The members of the promise, null if the receipt is not certified. With several shards, the
// promise of the one shard and the number of shards follow.
void WritePromise(JsonWriter& json, const Receipt& receipt, const ReceiptContext& context) {
  const bool certified = receipt.why_not.empty();
  const auto number = [&](const char* key, double value) {
    json.Key(key);
    certified ? json.Value(value) : json.Null();
  };
  number("mu", receipt.promise.mu);
  number("rho", receipt.promise.rho);
  number("epsilon", receipt.promise.epsilon);
  number("delta", receipt.promise.delta);
  number("advantage", receipt.promise.advantage);
  if (context.shards == 1) return;
  number("shard_mu", receipt.shard_mu);
  const bool joint = context.spec.forgetting.guarantee == Guarantee::kJoint;
  json.Field("shards", joint ? context.shards : receipt.holders);
}

void WriteLines(JsonWriter& json, const char* key, const std::vector<std::string>& lines) {
  json.Key(key).BeginArray();
  for (const std::string& line : lines) json.Value(line);
  json.EndArray();
}

}  // namespace

std::string ToText(const Uuid& uuid) {
  const std::string hex = ToHex(uuid.data(), uuid.size());
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
         hex.substr(16, 4) + "-" + hex.substr(20);
}

const char* Name(EffectiveBy by) {
  switch (by) {
    case EffectiveBy::kStream: return "stream";
    case EffectiveBy::kTimer: return "timer";
    case EffectiveBy::kGroup: return "group";
  }
  LETHE_CHECK(false);
}

std::string WriteReceipt(const Receipt& receipt, const ReceiptContext& context,
                         const std::string& previous) {
  const Spec& spec = context.spec;
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.receipt/1");
  json.Field("receipt", ToText(receipt.uuid)).Field("state", ToText(receipt.state));
  json.Field("shard", receipt.shard.value);
  WriteOrNull(json, "request", receipt.request);
  json.Key("subject");
  receipt.subject ? json.Value(ToText(*receipt.subject)) : json.Null();
  json.Field("outcome", Name(receipt.outcome));
  if (receipt.is_update) json.Field("cause", "update");
  if (receipt.first_receipt) json.Field("first_receipt", ToText(*receipt.first_receipt));
  if (receipt.reason) json.Field("reason", ReasonName(*receipt.reason));
  if (receipt.outcome == Outcome::kNothingLearned || receipt.outcome == Outcome::kNotRetained) {
    WriteShards(json, "searched", receipt.searched);
  }
  if (!receipt.passed_on.empty()) WriteShards(json, "passed_on", receipt.passed_on);
  if (!receipt.pending.empty()) WriteShards(json, "pending", receipt.pending);
  WriteEvents(json, receipt, context.hasher);
  json.Key("received").BeginObject().Field("offset", receipt.received.value);
  WriteTime(json, receipt.received_time);
  json.EndObject();
  json.Key("effective").BeginObject().Field("offset", receipt.effective.value);
  json.Field("index", receipt.index).Field("model_version", receipt.model_version.value);
  WriteTime(json, receipt.effective_time);
  json.Field("by", Name(receipt.by)).EndObject();
  if (receipt.expired_before.value > 0) {
    json.Key(context.covers_old ? "covered" : "expired").BeginObject();
    json.Field("before", receipt.expired_before.value);
    if (!context.covers_old) WriteTime(json, receipt.expired_time, "arrived_before");
    json.Field("model_version", receipt.expired_since.value).EndObject();
  }
  json.Field("certified", receipt.why_not.empty());
  WriteLines(json, "why_not", receipt.why_not);
  json.Field("mode", spec.forgetting.mode).Field("guarantee", Name(spec.forgetting.guarantee));
  json.Field("shift", receipt.forgetting.shift).Field("sigma", receipt.forgetting.sigma);
  if (receipt.forgetting.shrink < 1) json.Field("shrink", receipt.forgetting.shrink);
  WritePromise(json, receipt, context);
  WriteLines(json, "assumptions", Assumptions(spec, context.is_adaptive, context.blank));
  WriteLines(json, "not_covered", NotCovered(spec, context.keeps_secret, receipt));
  json.Field("noise", Name(spec.noise.source)).Field("config", context.config_sha256);
  json.Field("previous", previous);
  json.Field("statement", Statement(receipt, context));
  return json.EndObject().text();
}

std::string WriteReceivedNotice(const Receipt& receipt, const std::string& previous) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.notice/1").Field("receipt", ToText(receipt.uuid));
  json.Field("state", ToText(receipt.state)).Field("shard", receipt.shard.value);
  json.Field("status", "received").Key("sha256").Null();
  json.Field("events", static_cast<std::int64_t>(receipt.events.size()));
  json.Field("offset", receipt.received.value);
  WriteTime(json, receipt.received_time);
  return json.Field("previous", previous).EndObject().text();
}

std::string WriteErasedNotice(const ErasedNotice& notice, const std::string& previous) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.notice/1").Key("receipt");
  notice.receipt == Uuid{} ? json.Null() : json.Value(ToText(notice.receipt));
  json.Field("state", ToText(notice.state)).Field("shard", notice.shard.value);
  json.Field("status", "erased").Field("sha256", notice.receipt_sha256);
  json.Field("offset", notice.offset.value);
  WriteTime(json, notice.time);
  json.Field("by", notice.by_timer ? "timer" : "stream");
  return json.Field("previous", previous).EndObject().text();
}

std::string WriteExpiredNotice(const ExpiredNotice& notice, const std::string& previous) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.notice/1").Key("receipt").Null();
  json.Field("state", ToText(notice.state)).Field("shard", notice.shard.value);
  json.Field("status", notice.is_covered ? "covered" : "expired").Key("sha256").Null();
  json.Field("before", notice.anchor.value);
  if (!notice.is_covered) {
    WriteTime(json, notice.anchor_time, "arrived_before");
    json.Field("retained", notice.retained);
  }
  json.Field("model_version", notice.model_version.value);
  json.Field("offset", notice.offset.value);
  WriteTime(json, notice.time);
  json.Field("by", notice.by_timer ? "timer" : "stream");
  return json.Field("previous", previous).EndObject().text();
}

std::string WriteClockNotice(const ClockNotice& notice, const std::string& previous) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.notice/1").Key("receipt").Null();
  json.Field("state", ToText(notice.state)).Field("shard", notice.shard.value);
  json.Field("status", "clock").Key("sha256").Null();
  json.Field("offset", notice.offset.value);
  WriteTime(json, notice.time);
  json.Field("arrival", notice.arrival.value);
  return json.Field("previous", previous).EndObject().text();
}

std::string WriteChainNotice(const ChainNotice& notice, const std::string& previous) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.notice/1").Key("receipt").Null();
  json.Field("state", ToText(notice.state)).Field("shard", notice.shard.value);
  json.Field("status", notice.status).Key("sha256").Null();
  if (!notice.after.empty()) json.Field("after", notice.after);
  if (!notice.new_key.empty()) {
    json.Field("old_key", notice.old_key).Field("new_key", notice.new_key);
  }
  json.Field("offset", notice.from.value).Field("to", notice.to.value);
  return json.Field("previous", previous).EndObject().text();
}

}  // namespace lethe
