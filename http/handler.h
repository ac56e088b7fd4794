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

// The routes of the HTTP interface: from a request to a response, without sockets. Thread-safe. A
// failure is a response with a status of 400 or above.
class HttpHandler {
 public:
  struct Route {
    const char* path;    // if it ends in a slash and is not "/", it stands for all paths below it
    const char* method;  // GET stands for GET and HEAD
    bool open;           // needs no token
    bool heavy;          // a slow client may take long to send or receive it
    HttpMetrics::Handler kind;
    HttpResponse (HttpHandler::*answer)(const HttpRequest&);
  };

  // Borrows all arguments but the guard; they must outlive the handler.
  HttpHandler(HttpGuard guard, const PublishedState& published, const PipelineMetrics& metrics,
              const Hasher& hasher, HttpExtras extras);

  // The route of a request, found before the body is read. Null if the request is refused (no
  // access, no such path, wrong method); `refusal` is then the response.
  const Route* Find(const HttpRequest& request, HttpResponse& refusal) const;

  // The response to a request, whose body was read. `route` comes from Find.
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
