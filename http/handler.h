#pragma once

#include <optional>
#include <string>

#include "http/extras.h"
#include "http/guard.h"
#include "http/message.h"
#include "http/model_document.h"
#include "metrics/pipeline_metrics.h"
#include "metrics/published_state.h"

namespace lethe {

// Larger request bodies are refused.
inline constexpr std::size_t kMaxBodyBytes = std::size_t{1} << 20;

// What is answered to which request, without sockets. Thread-safe.
class HttpHandler {
 public:
  struct Route {
    const char* path;    // one that ends in a slash and is not "/" stands for all below it
    const char* method;  // GET stands for GET and HEAD
    bool open;           // asks for no token
    bool heavy;          // may take a client long to send or receive
    HttpMetrics::Handler kind;
    HttpResponse (HttpHandler::*answer)(const HttpRequest&);
  };

  // All outlive this.
  HttpHandler(HttpGuard guard, const PublishedState& published, const PipelineMetrics& metrics,
              const Hasher& hasher, HttpExtras extras);

  // The route of a request, looked at before its body is read; or why there is none.
  const Route* Find(const HttpRequest& request, HttpResponse& refusal) const;

  HttpResponse Answer(const Route& route, const HttpRequest& request);

 private:
  HttpResponse Page(const HttpRequest& request);
  HttpResponse Metrics(const HttpRequest& request);
  HttpResponse Healthy(const HttpRequest& request);
  HttpResponse Ready(const HttpRequest& request);
  HttpResponse Status(const HttpRequest& request);
  HttpResponse Shards(const HttpRequest& request);
  HttpResponse Model(const HttpRequest& request);
  HttpResponse PredictRows(const HttpRequest& request);
  HttpResponse Receipts(const HttpRequest& request);
  HttpResponse Receipt(const HttpRequest& request);
  HttpResponse Keys(const HttpRequest& request);
  HttpResponse Forget(const HttpRequest& request);

  static const Route kRoutes[];

  const HttpGuard guard_;
  const PublishedState& published_;
  const PipelineMetrics& metrics_;
  const Hasher& hasher_;
  const HttpExtras extras_;
  ModelDocument model_;
};

}  // namespace lethe
