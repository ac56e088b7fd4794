#include "http/handler.h"

#include <algorithm>
#include <string_view>

#include "engine/base/json.h"
#include "http/forget_json.h"
#include "http/predict.h"
#include "http/receipts_json.h"
#include "http/status_json.h"
#include "http/web_files.h"

namespace lethe {

using Kind = HttpMetrics::Handler;

const HttpHandler::Route HttpHandler::kRoutes[] = {
    // The page holds no data: its script asks the user for the token.
    {"/", "GET", true, false, Kind::kPage, &HttpHandler::Page},
    {"/web/", "GET", true, false, Kind::kPage, &HttpHandler::Page},
    {"/metrics", "GET", false, false, Kind::kMetrics, &HttpHandler::Metrics},
    {"/-/healthy", "GET", true, false, Kind::kProbe, &HttpHandler::Healthy},
    {"/-/ready", "GET", true, false, Kind::kProbe, &HttpHandler::Ready},
    {"/v1/status", "GET", false, false, Kind::kStatus, &HttpHandler::Status},
    {"/v1/shards", "GET", false, false, Kind::kStatus, &HttpHandler::Shards},
    {"/v1/model", "GET", false, true, Kind::kModel, &HttpHandler::Model},
    {"/v1/predict", "POST", false, true, Kind::kPredict, &HttpHandler::PredictRows},
    {"/v1/receipts", "GET", false, false, Kind::kReceipts, &HttpHandler::Receipts},
    {"/v1/receipts/", "GET", false, false, Kind::kReceipts, &HttpHandler::Receipt},
    {"/v1/keys", "GET", false, false, Kind::kReceipts, &HttpHandler::Keys},
    {"/v1/forget", "POST", false, true, Kind::kForget, &HttpHandler::Forget},
};

namespace {

bool Takes(std::string_view allowed, std::string_view method) {
  return method == allowed || (allowed == "GET" && method == "HEAD");
}

// Whether the route serves the path.
bool Leads(std::string_view route, std::string_view path) {
  return path == route || (route.size() > 1 && route.ends_with('/') && path.starts_with(route));
}

}  // namespace

HttpHandler::HttpHandler(HttpGuard guard, const PublishedState& published,
                         const PipelineMetrics& metrics, const Hasher& hasher, HttpExtras extras)
    : guard_(std::move(guard)),
      published_(published),
      metrics_(metrics),
      hasher_(hasher),
      extras_(std::move(extras)),
      model_(published, hasher) {}

const HttpHandler::Route* HttpHandler::Find(const HttpRequest& request,
                                            HttpResponse& refusal) const {
  const Route* const route =
      std::find_if(std::begin(kRoutes), std::end(kRoutes),
                   [&](const Route& candidate) { return Leads(candidate.path, request.path); });
  const bool known = route != std::end(kRoutes);
  // Access is checked before existence, so that a client without a token does not learn the paths.
  if (auto refused = guard_.Refuse(request, known && route->open)) {
    refusal = *std::move(refused);
    return nullptr;
  }
  if (!known) {
    JsonWriter json;
    json.BeginObject().Field("error", "there is no such path").Key("paths").BeginArray();
    for (const Route& other : kRoutes) json.Value(other.path);
    refusal = JsonResponse(404, json.EndArray().EndObject().text());
    return nullptr;
  }
  if (!Takes(route->method, request.method)) {
    const std::string allow = Takes(route->method, "HEAD") ? "GET, HEAD" : route->method;
    refusal = ErrorResponse(405, std::string(route->path) + " takes " + allow + " only");
    refusal.headers.emplace_back("Allow", allow);
    return nullptr;
  }
  return route;
}

HttpResponse HttpHandler::Answer(const Route& route, const HttpRequest& request) {
  return (this->*route.answer)(request);
}

HttpResponse HttpHandler::Page(const HttpRequest& request) {
  return ShowWebFile(request.path, extras_.web_root);
}

HttpResponse HttpHandler::Metrics(const HttpRequest&) {
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = std::make_shared<const std::string>(metrics_.Text());
  return response;
}

HttpResponse HttpHandler::Healthy(const HttpRequest&) {
  const std::optional<std::string> unhealthy = published_.unhealthy();
  JsonWriter json;
  json.BeginObject().Field("status", unhealthy ? "unhealthy" : "healthy");
  if (unhealthy) json.Key("reasons").BeginArray().Value(*unhealthy).EndArray();
  return JsonResponse(unhealthy ? 503 : 200, json.EndObject().text());
}

HttpResponse HttpHandler::Ready(const HttpRequest&) {
  const std::vector<std::string> reasons = published_.not_ready();
  JsonWriter json;
  json.BeginObject().Field("status", reasons.empty() ? "ready" : "not ready");
  if (!reasons.empty()) {
    json.Key("reasons").BeginArray();
    for (const std::string& reason : reasons) json.Value(reason);
    json.EndArray();
  }
  return JsonResponse(reasons.empty() ? 200 : 503, json.EndObject().text());
}

HttpResponse HttpHandler::Status(const HttpRequest&) {
  return JsonResponse(200, StatusJson(published_, metrics_, hasher_, extras_));
}

HttpResponse HttpHandler::Shards(const HttpRequest&) {
  return JsonResponse(200, ShardsJson(published_, metrics_));
}

HttpResponse HttpHandler::Model(const HttpRequest& request) {
  const std::string_view format = request.Parameter("format").value_or("json");
  const bool is_onnx = format == "onnx";
  if (!is_onnx && format != "json") return ErrorResponse(400, "format must be json or onnx");
  std::optional<ModelDocument::Version> model =
      model_.Get(is_onnx ? ModelDocument::Format::kOnnx : ModelDocument::Format::kJson);
  if (!model) return ErrorResponse(503, "no model has been committed yet");
  HttpResponse response;
  if (is_onnx) {
    response.content_type = "application/octet-stream";  // ONNX has no registered type
    response.headers.emplace_back("Content-Disposition", "attachment; filename=\"model.onnx\"");
  }
  // A cache may store the model but must revalidate it every time: after a deletion the old model
  // must not be served.
  response.cache_control = "no-cache";
  response.headers.emplace_back("ETag", model->etag);
  if (request.if_none_match && NamesTag(*request.if_none_match, model->etag)) {
    response.status = 304;
  } else {
    response.body = std::move(model->bytes);
  }
  return response;
}

HttpResponse HttpHandler::PredictRows(const HttpRequest& request) {
  return Predict(published_, hasher_, request.body);
}

HttpResponse HttpHandler::Receipts(const HttpRequest& request) {
  static const RecentReceipts kEmpty;
  return ListReceipts(extras_.receipts == nullptr ? kEmpty : *extras_.receipts, request);
}

HttpResponse HttpHandler::Receipt(const HttpRequest& request) {
  static const RecentReceipts kEmpty;
  return ShowReceipt(extras_.receipts == nullptr ? kEmpty : *extras_.receipts, extras_.signer,
                     request);
}

HttpResponse HttpHandler::Keys(const HttpRequest&) {
  if (extras_.signer == nullptr) return ErrorResponse(404, "nothing is signed here");
  return JsonResponse(200, extras_.signer->Keys());
}

HttpResponse HttpHandler::Forget(const HttpRequest& request) {
  return TakeForgetRequest(extras_.forget, request);
}

}  // namespace lethe
