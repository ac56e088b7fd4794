#include "metrics/http_handler.h"

#include <algorithm>
#include <string_view>

#include "engine/json.h"
#include "metrics/predict.h"
#include "metrics/status_json.h"

namespace lethe {

const HttpHandler::Route HttpHandler::kRoutes[] = {
    {"/", "GET", false, false, "this page", &HttpHandler::Index},
    {"/metrics", "GET", false, false, "for Prometheus", &HttpHandler::Metrics},
    {"/-/healthy", "GET", true, false, "503 when a shard has stopped", &HttpHandler::Healthy},
    {"/-/ready", "GET", true, false, "503 with the reasons until ready", &HttpHandler::Ready},
    {"/v1/status", "GET", false, false, "what runs, and totals", &HttpHandler::Status},
    {"/v1/shards", "GET", false, false, "every shard", &HttpHandler::Shards},
    {"/v1/model", "GET", false, true, "the model, lethe.model/1", &HttpHandler::Model},
    {"/v1/predict", "POST", false, true, "scores of {\"instances\":[[...],...]}",
     &HttpHandler::PredictRows},
};

namespace {

bool Takes(std::string_view allowed, std::string_view method) {
  return method == allowed || (allowed == "GET" && method == "HEAD");
}

}  // namespace

HttpHandler::HttpHandler(HttpGuard guard, const Board& board, const PipelineMetrics& metrics,
                         const Hasher& hasher)
    : guard_(std::move(guard)), board_(board), metrics_(metrics), model_(board, hasher) {}

const HttpHandler::Route* HttpHandler::Find(const HttpRequest& request,
                                            HttpResponse& refusal) const {
  const Route* const route =
      std::find_if(std::begin(kRoutes), std::end(kRoutes),
                   [&](const Route& candidate) { return request.path == candidate.path; });
  const bool known = route != std::end(kRoutes);
  // A stranger does not learn which paths there are.
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

HttpResponse HttpHandler::Index(const HttpRequest&) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Lethe</title>"
      "</head>\n<body>\n<h1>Lethe</h1>\n<ul>\n";
  for (const Route& route : kRoutes) {
    const std::string path = route.path;
    page.append("<li>").append(route.method).append(" ");
    if (Takes(route.method, "GET")) {
      page.append("<a href=\"").append(path).append("\">").append(path).append("</a>");
    } else {
      page.append(path);
    }
    page.append(": ").append(route.what).append("</li>\n");
  }
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.body = std::make_shared<const std::string>(page + "</ul>\n</body>\n</html>\n");
  return response;
}

HttpResponse HttpHandler::Metrics(const HttpRequest&) {
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = std::make_shared<const std::string>(metrics_.Text());
  return response;
}

HttpResponse HttpHandler::Healthy(const HttpRequest&) {
  const std::optional<std::string> unhealthy = board_.unhealthy();
  JsonWriter json;
  json.BeginObject().Field("status", unhealthy ? "unhealthy" : "healthy");
  if (unhealthy) json.Key("reasons").BeginArray().Value(*unhealthy).EndArray();
  return JsonResponse(unhealthy ? 503 : 200, json.EndObject().text());
}

HttpResponse HttpHandler::Ready(const HttpRequest&) {
  const std::vector<std::string> reasons = board_.not_ready();
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
  return JsonResponse(200, StatusJson(board_, metrics_));
}

HttpResponse HttpHandler::Shards(const HttpRequest&) {
  return JsonResponse(200, ShardsJson(board_, metrics_));
}

HttpResponse HttpHandler::Model(const HttpRequest& request) {
  std::optional<ModelDocument::Version> model = model_.Get();
  if (!model) return ErrorResponse(503, "no model has been committed yet");
  HttpResponse response;
  // May be stored, if it is asked for again each time: after a deletion an old model must go.
  response.cache_control = "no-cache";
  response.headers.emplace_back("ETag", model->etag);
  if (request.if_none_match && NamesTag(*request.if_none_match, model->etag)) {
    response.status = 304;
  } else {
    response.body = std::move(model->text);
  }
  return response;
}

HttpResponse HttpHandler::PredictRows(const HttpRequest& request) {
  return Predict(board_, request.body);
}

}  // namespace lethe
