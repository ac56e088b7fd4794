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

// The HTTP surface (docs/http.md), in threads of its own. Stops when it is destroyed.
class HttpServer {
 public:
  struct Options {
    std::string host;  // an address, with or without brackets; or localhost
    int port = 0;      // 0: a free one
    std::optional<std::string> token;
    int connections = 320;           // served at once; each takes a thread and a file
    const Hasher* hasher = nullptr;  // for the model's sha256; outlives the server
    HttpExtras extras = {};
  };

  // Whether the civetweb of this system was built for IPv6 addresses. Debian's is not.
  static bool TakesIpv6();

  // `published` and `metrics` outlive the server. kUnavailable when the port is taken, kConfig when
  // the options make no sense or the address is not one of this machine.
  static Result<std::unique_ptr<HttpServer>> Start(const Options& options,
                                                   const PublishedState& published,
                                                   PipelineMetrics& metrics);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // E.g. http://127.0.0.1:9464, with the real port.
  std::string url() const;

 private:
  class Engine;
  explicit HttpServer(std::unique_ptr<Engine> engine);

  std::unique_ptr<Engine> engine_;
};

}  // namespace lethe
