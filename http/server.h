#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/base/status.h"
#include "engine/ports/hash.h"
#include "http/extras.h"
#include "metrics/pipeline_metrics.h"
#include "metrics/published_state.h"

namespace lethe {

// The HTTP server (docs/http.md) on civetweb, with its own threads. Thread-safe once started. The
// destructor stops it and waits for requests that are being served. A request that fails gets an
// error response and does not affect the server.
class HttpServer {
 public:
  struct Options {
    std::string host;  // an address, with or without brackets; or localhost
    int port = 0;      // 0: any free port
    std::optional<std::string> token;
    int connections = 320;           // served at once; each takes a thread and a descriptor
    const Hasher* hasher = nullptr;  // required; borrowed, must outlive the server
    HttpExtras extras = {};
  };

  // Whether the civetweb library of this system supports IPv6. Debian's does not.
  static bool TakesIpv6();

  // Starts to listen. `published` and `metrics` are borrowed and must outlive the server.
  // kUnavailable when the port is taken, kConfig when the options are invalid or the address is not
  // one of this machine, kInternal when the hasher is missing.
  static Result<std::unique_ptr<HttpServer>> Start(const Options& options,
                                                   const PublishedState& published,
                                                   PipelineMetrics& metrics);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The URL with the actual port, e.g. http://127.0.0.1:9464.
  std::string url() const;

 private:
  class Engine;
  explicit HttpServer(std::unique_ptr<Engine> engine);

  std::unique_ptr<Engine> engine_;
};

}  // namespace lethe
