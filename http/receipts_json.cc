#include "http/receipts_json.h"

#include <algorithm>
#include <charconv>

#include "engine/base/json.h"

namespace lethe {
namespace {

constexpr std::string_view kPath = "/v1/receipts/";

template <typename T>
void Known(JsonWriter& json, const char* key, const std::optional<T>& value) {
  json.Key(key);
  value ? json.Value(*value) : json.Null();
}

// Begins the object of a point. The caller may add members, and must end the object.
void BeginPoint(JsonWriter& json, const char* key, const RecentReceipts::Point& point) {
  json.Key(key).BeginObject().Field("offset", point.offset);
  Known(json, "timestamp", point.time_ms);
}

void WriteRequest(JsonWriter& json, const RecentReceipts::Request& request) {
  const bool is_served = !request.receipt.empty();
  json.BeginObject().Field("uuid", request.uuid).Field("shard", request.shard.value);
  json.Field("status", request.erased ? "erased" : is_served ? "effective" : "received");
  Known(json, "request", request.name);
  json.Key("outcome");
  is_served ? json.Value(request.outcome) : json.Null();
  if (request.is_update) json.Field("cause", "update");
  json.Field("events", request.events);
  BeginPoint(json, "received", request.received);
  json.EndObject();
  if (request.effective) {
    BeginPoint(json, "effective", *request.effective);
    json.Field("model_version", request.model_version).EndObject();
  } else {
    json.Key("effective").Null();
  }
  if (request.erased) {
    BeginPoint(json, "erased", *request.erased);
    json.EndObject();
  } else {
    json.Key("erased").Null();
  }
  json.Key("certified");
  is_served ? json.Value(request.certified) : json.Null();
  Known(json, "sigma", request.sigma);
  Known(json, "mu", request.mu);
  Known(json, "epsilon", request.epsilon);
  Known(json, "delta", request.delta);
  Known(json, "advantage", request.advantage);
  const std::string self = std::string(kPath) + request.uuid;
  json.Key("links").BeginObject().Key("receipt");
  is_served ? json.Value(self) : json.Null();
  json.Key("envelope");
  is_served ? json.Value(self + "?envelope=1") : json.Null();
  json.Field("notices", self + "?notices=1").EndObject().EndObject();
}

HttpResponse BadUuid(const char* what) {
  return ErrorResponse(
      400, std::string(what) + " is not a UUID: 8-4-4-4-12 hexadecimal digits in lower case");
}

HttpResponse NotHere() {
  return ErrorResponse(404,
                       "no such receipt among the newest of this process; older ones are in its "
                       "state and in publish.receipts_topic");
}

bool IsAsked(const HttpRequest& request, const char* name) {
  const auto value = request.Parameter(name);
  return value && *value != "0";
}

}  // namespace

HttpResponse ListReceipts(const RecentReceipts& recent_receipts, const HttpRequest& request) {
  std::size_t limit = kDefaultReceipts;
  if (const auto text = request.Parameter("limit")) {
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
    if (error != std::errc() || end != text->data() + text->size() || limit == 0 ||
        limit > kMaxReceipts) {
      return ErrorResponse(400, "limit must be 1 to " + std::to_string(kMaxReceipts));
    }
  }
  RecentReceipts::Shared before;
  if (const auto uuid = request.Parameter("before")) {
    if (!IsUuid(*uuid)) return BadUuid("before");
    before = recent_receipts.Find(std::string(*uuid));
    if (!before) return NotHere();
  }
  // One request more than the limit shows whether there is a next page.
  auto requests = recent_receipts.Newest(limit + 1, before);
  const bool has_more = requests.size() > limit;
  if (has_more) requests.pop_back();
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.receipts/1");
  json.Field("held", static_cast<std::int64_t>(recent_receipts.size()))
      .Key("receipts")
      .BeginArray();
  for (const auto& one : requests) WriteRequest(json, *one);
  json.EndArray().Key("next");
  if (has_more) {
    json.Value("/v1/receipts?limit=" + std::to_string(limit) + "&before=" + requests.back()->uuid);
  } else {
    json.Null();
  }
  return JsonResponse(200, json.EndObject().text());
}

HttpResponse ShowReceipt(const RecentReceipts& recent_receipts, const Signer* signer,
                         const HttpRequest& request) {
  const std::string uuid = request.path.substr(std::min(kPath.size(), request.path.size()));
  if (!IsUuid(uuid)) return BadUuid("the end of the path");
  const RecentReceipts::Shared found = recent_receipts.Find(uuid);
  if (!found) return NotHere();
  if (IsAsked(request, "notices")) {
    JsonWriter json;
    json.BeginObject().Key("receipt");
    found->receipt.empty() ? json.Null() : json.Raw(found->receipt);
    json.Key("notices").BeginArray();
    for (const std::string& notice : found->notices) json.Raw(notice);
    return JsonResponse(200, json.EndArray().EndObject().text());
  }
  if (found->receipt.empty()) {
    return ErrorResponse(404,
                         "this request waits; its receipt is written when it takes effect, and "
                         "?notices=1 shows what is known");
  }
  HttpResponse response;
  const bool wants_envelope = IsAsked(request, "envelope");
  if (wants_envelope && signer == nullptr) return ErrorResponse(404, "nothing is signed here");
  // The exact bytes that the chain hashes: no end of line is added.
  response.body = std::make_shared<const std::string>(
      wants_envelope ? signer->Envelope(found->receipt) : found->receipt);
  response.headers.emplace_back(
      "Content-Disposition",
      "inline; filename=\"receipt-" + uuid + (wants_envelope ? ".dsse.json\"" : ".json\""));
  return response;
}

}  // namespace lethe
