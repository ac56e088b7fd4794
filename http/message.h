#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lethe {

// A request, as far as the server understands it. All other headers are ignored.
struct HttpRequest {
  std::string method;
  std::string path;  // as it was sent, without the query
  std::string query;
  std::optional<std::string> host;
  std::optional<std::string> authorization;
  std::optional<std::string> if_none_match;
  std::optional<std::string> origin;
  std::optional<std::string> content_type;
  std::string body;

  // The first parameter of the query with this name, as it was sent.
  std::optional<std::string_view> Parameter(std::string_view name) const;
};

// A response before it is sent. Content-Length, Connection and the security headers are added by
// HeadOf.
struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string cache_control = "no-store";
  bool goes_on = false;  // the connection is kept for the next request
  bool is_page = false;  // a page: may load scripts, styles and data from this server only
  std::vector<std::pair<std::string, std::string>> headers;  // further ones
  // Shared, because many threads send the same large document.
  std::shared_ptr<const std::string> body = std::make_shared<const std::string>();
};

// A response whose body is `json` and an end of line.
HttpResponse JsonResponse(int status, std::string json);

// {"error": message}
HttpResponse ErrorResponse(int status, const std::string& message);

// E.g. "Not Found".
const char* StatusText(int status);

// The status line and all headers, up to the empty line, including those that every response has.
std::string HeadOf(const HttpResponse& response);

}  // namespace lethe
