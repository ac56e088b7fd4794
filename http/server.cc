#include "http/server.h"

#include <civetweb.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "http/connection.h"
#include "http/handler.h"

namespace lethe {
namespace {

// A thread serves one connection at a time, so Options::connections is also the number of threads;
// an idle one costs about ten KiB. There are enough for hundreds of clients that never finish their
// headers. Heavy routes, and large answers of the other routes, can be held up by a slow client for
// longer. Each of these two kinds may take a few threads only, so that small requests always find
// one.
constexpr int kMaxHeld = 12;

// A connection may be kept for further requests. Its thread then waits for the next one, so the
// number of kept connections, the wait, and the requests per connection are limited.
constexpr int kMaxKept = 64;
constexpr int kShareKept = 4;  // at most one in four threads, if that is less
constexpr std::intptr_t kMaxRequests = 1000;
constexpr char kIdleTimeoutMs[] = "2000";

// Limits the time until the headers are complete, and each wait for a client that sends nothing.
constexpr char kRequestTimeoutMs[] = "2000";
// A permit of a counting semaphore of kMaxHeld, held until the object is destroyed. If `needed` is
// false it takes none and is always admitted; if all are taken it is not admitted.
class Place {
 public:
  Place(std::atomic<int>& taken, bool needed) : taken_(needed ? &taken : nullptr) {
    if (taken_ != nullptr) admitted_ = taken_->fetch_add(1) < kMaxHeld;
  }
  ~Place() {
    if (taken_ != nullptr) taken_->fetch_sub(1);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  bool admitted() const { return admitted_; }

 private:
  std::atomic<int>* taken_;
  bool admitted_ = true;
};

HttpResponse Busy() {
  HttpResponse response = ErrorResponse(503, "too many large requests at once; try again");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::string Bracketed(const std::string& host) {
  return host.find(':') != std::string::npos && !host.starts_with('[') ? "[" + host + "]" : host;
}

// Blocks all signals of this thread while it exists. Threads that are started meanwhile inherit the
// mask, so signals go to the thread of the program that handles them.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

Status Check(const HttpServer::Options& options) {
  if (options.hasher == nullptr) return {ErrorCode::kInternal, "the HTTP server needs a hasher"};
  if (options.connections < 1) return {ErrorCode::kInternal, "the HTTP server needs connections"};
  if (options.port < 0 || options.port > 65535) {
    return {ErrorCode::kConfig, "http.listen: the port must be 0 to 65535"};
  }
  // civetweb gives commas and other signs a meaning of its own.
  if (options.host.empty() ||
      options.host.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ.:-[]") != std::string::npos) {
    return {ErrorCode::kConfig, "http.listen: \"" + options.host + "\" is not an address"};
  }
  if (options.host.find(':') != std::string::npos && !HttpServer::TakesIpv6()) {
    return {ErrorCode::kConfig, "http.listen: " + options.host +
                                    ": the civetweb library of this system was built without "
                                    "IPv6; use an IPv4 address such as 127.0.0.1"};
  }
  if (options.token && options.token->empty()) {
    return {ErrorCode::kConfig, "http.token_file: the token is empty"};
  }
  return Status::Ok();
}

}  // namespace

// The civetweb context, its callbacks, and the state they share. The callbacks run in civetweb's
// threads. They catch every exception, because their callers are C functions.
class HttpServer::Engine {
 public:
  Engine(const Options& options, const PublishedState& published, PipelineMetrics& metrics)
      : host_(Bracketed(options.host)),
        figures_(metrics.http()),
        handler_(HttpGuard(IsLoopback(options.host), options.token), published, metrics,
                 *options.hasher, options.extras),
        threads_(std::to_string(options.connections)),
        max_kept_(std::min(kMaxKept, options.connections / kShareKept)) {
    mg_init_library(0);
  }

  ~Engine() {
    if (context_ != nullptr) Stop();
    mg_exit_library();
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Status Listen(int port) {
    const std::string address = (host_ == "localhost" ? "127.0.0.1" : host_) + ":";
    const std::string listening = address + std::to_string(port);
    const char* settings[] = {"listening_ports",
                              listening.c_str(),  //
                              "num_threads",
                              threads_.c_str(),  //
                              "request_timeout_ms", kRequestTimeoutMs, "enable_keep_alive", "yes",
                              "keep_alive_timeout_ms", kIdleTimeoutMs, "decode_url",
                              "no",  //
                              // Absolute URIs are taken, and the guard looks at their host.
                              "enable_auth_domain_check",
                              "no",  //
                              "max_request_size",
                              "8192",  //
                              "tcp_nodelay",
                              "1",  //
                              nullptr};
    mg_callbacks callbacks{};
    callbacks.begin_request = OnRequest;
    callbacks.http_error = OnError;
    callbacks.log_message = OnMessage;
    callbacks.connection_close = OnClose;
    const BlockedSignals blocked;
    context_ = mg_start(&callbacks, this, settings);
    if (context_ == nullptr) return WhyNot(listening);
    mg_server_port bound{};
    mg_get_server_ports(context_, 1, &bound);
    port_ = bound.port;
    return Status::Ok();
  }

  std::string url() const { return "http://" + host_ + ":" + std::to_string(port_); }

 private:
  // Stops civetweb quickly. Its accepting thread checks for a stop every two seconds, or when a
  // client connects, so a helper thread connects again and again until mg_stop returns.
  void Stop() {
    std::atomic<bool> stopped = false;
    std::thread waker([&] {
      const std::string host = host_.starts_with('[') ? host_.substr(1, host_.size() - 2) : host_;
      while (!stopped) {
        char error[100];
        mg_connection* visitor = mg_connect_client(host.c_str(), port_, 0, error, sizeof error);
        if (visitor != nullptr) mg_close_connection(visitor);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    mg_stop(context_);
    stopped = true;
    waker.join();
  }

  static Engine& Of(const mg_connection* connection) {
    return *static_cast<Engine*>(mg_get_user_data(mg_get_context(connection)));
  }

  // Keeps the first message of civetweb, which says why it could not start. Later messages are
  // dropped, so nothing about a request is logged.
  static int OnMessage(const mg_connection* connection, const char* message) {
    Engine& engine = Of(connection);
    const std::lock_guard lock(engine.mutex_);
    if (engine.first_message_.empty()) engine.first_message_ = message;
    return 1;
  }

  // Called for a request that civetweb cannot parse.
  static int OnError(mg_connection* connection, int status, const char*) {
    mg_disable_connection_keep_alive(connection);
    const int code = std::strcmp(StatusText(status), "Error") == 0 ? 400 : status;
    try {
      Of(connection).figures_.Observe(HttpMetrics::Handler::kOther, code, 0);
      (void)Send(connection, ErrorResponse(code, "the request could not be understood"), true);
    } catch (...) {
      // There is no memory for an answer: the connection is closed without one.
    }
    return 0;
  }

  static int OnRequest(mg_connection* connection) {
    try {
      return Of(connection).Serve(connection);
    } catch (...) {
      static constexpr std::string_view kFailed =
          "HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\n\r\n";
      mg_disable_connection_keep_alive(connection);
      mg_write(connection, kFailed.data(), kFailed.size());
      return 500;
    }
  }

  // Serves one request: check the head, find the route, take a permit, read the body, answer, send.
  // The order keeps unauthorised and excess requests cheap: nothing of a body is read before the
  // route and the permit are known. Returns the status.
  int Serve(mg_connection* connection) {
    const auto start = std::chrono::steady_clock::now();
    const mg_request_info* info = mg_get_request_info(connection);
    HttpRequest request;
    request.method = info->request_method;
    request.path = info->local_uri == nullptr ? "" : info->local_uri;
    request.query = info->query_string == nullptr ? "" : info->query_string;
    request.host = HostOf(connection);
    request.authorization = Header(connection, "Authorization");
    request.if_none_match = Header(connection, "If-None-Match");
    request.origin = Header(connection, "Origin");
    request.content_type = Header(connection, "Content-Type");

    HttpResponse response;
    const HttpHandler::Route* route = nullptr;
    auto bad_head = RefuseHead(connection);
    if (bad_head) {
      response = *std::move(bad_head);
    } else {
      route = handler_.Find(request, response);
    }
    const bool heavy = route != nullptr && route->heavy;
    const Place place(heavy_, heavy);
    bool drain = !bad_head && info->content_length > 0;
    if (!place.admitted()) {
      response = Busy();
      drain = false;
    } else if (route != nullptr) {
      std::optional<HttpResponse> refused;
      if (request.method == "POST") {
        refused = TakeBody(connection, request);
        drain = refused && refused->status == 413;
      }
      response = refused ? *std::move(refused) : handler_.Answer(*route, request);
    }
    const Place large(large_, !heavy && response.body->size() > kLargeBytes);
    if (!large.admitted()) response = Busy();
    response.goes_on =
        !drain && response.status < 400 && MayGoOn(connection, request) && Keep(connection);
    const bool is_sent = Send(connection, response, request.method != "HEAD");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    figures_.Observe(route == nullptr ? HttpMetrics::Handler::kOther : route->kind, response.status,
                     taken.count());
    // Otherwise civetweb would read the rest of a body, for as long as a slow client sends it.
    if (!response.goes_on || !is_sent) mg_disable_connection_keep_alive(connection);
    if (drain) {
      const Place draining(heavy_, !heavy);
      if (draining.admitted()) Drain(connection);
    }
    return response.status;
  }

  // Whether the connection may be kept. Its user data counts the requests after which it was kept,
  // so that OnClose knows whether to give its place back.
  bool Keep(mg_connection* connection) {
    const auto requests = reinterpret_cast<std::intptr_t>(mg_get_user_connection_data(connection));
    if (requests >= kMaxRequests) return false;
    if (requests == 0 && kept_.fetch_add(1) >= max_kept_) {
      kept_.fetch_sub(1);
      return false;
    }
    mg_set_user_connection_data(connection, reinterpret_cast<void*>(requests + 1));
    return true;
  }

  static void OnClose(const mg_connection* connection) {
    if (IsAboutServer(connection)) AnswerAboutServer(connection);
    if (mg_get_user_connection_data(connection) != nullptr) Of(connection).kept_.fetch_sub(1);
  }

  // civetweb closes the connection after `OPTIONS *` without an answer, so it is answered on
  // closing.
  static void AnswerAboutServer(const mg_connection* connection) {
    try {
      auto response = RefuseHead(connection);
      if (!response) {
        response.emplace();
        response->headers.emplace_back("Allow", "GET, HEAD, POST, OPTIONS");
      }
      Of(connection).figures_.Observe(HttpMetrics::Handler::kOther, response->status, 0);
      (void)Send(const_cast<mg_connection*>(connection), *response, true);
    } catch (...) {
      // There is no memory for an answer: the connection is closed without one.
    }
  }

  Status WhyNot(const std::string& listening) {
    const std::lock_guard lock(mutex_);
    if (first_message_.find(std::strerror(EADDRINUSE)) != std::string::npos) {
      return {ErrorCode::kUnavailable, "http.listen " + listening +
                                           ": another process listens there; choose another port "
                                           "or stop it"};
    }
    return {ErrorCode::kConfig,
            "http.listen " + listening + ": " +
                (first_message_.empty() ? "cannot listen there" : first_message_)};
  }

  const std::string host_;
  HttpMetrics& figures_;
  HttpHandler handler_;
  const std::string threads_;
  const int max_kept_;
  std::atomic<int> heavy_ = 0;
  std::atomic<int> large_ = 0;
  std::atomic<int> kept_ = 0;
  mg_context* context_ = nullptr;
  std::mutex mutex_;
  std::string first_message_;
  int port_ = 0;
};

HttpServer::HttpServer(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
HttpServer::~HttpServer() = default;

bool HttpServer::TakesIpv6() { return mg_check_feature(MG_FEATURES_IPV6) != 0; }

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const Options& options,
                                                      const PublishedState& published,
                                                      PipelineMetrics& metrics) {
  LETHE_RETURN_IF_ERROR(Check(options));
  auto engine = std::make_unique<Engine>(options, published, metrics);
  LETHE_RETURN_IF_ERROR(engine->Listen(options.port));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(engine)));
}

std::string HttpServer::url() const { return engine_->url(); }

}  // namespace lethe
