#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lethe {

// What the server understands of a request. Headers that are not here play no role.
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

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string cache_control = "no-store";
  bool goes_on = false;  // the connection stays for the next request
  bool is_page = false;  // may load scripts, styles and data from here, and nothing else
  std::vector<std::pair<std::string, std::string>> headers;  // further ones
  // Shared, because a large document is sent to many.
  std::shared_ptr<const std::string> body = std::make_shared<const std::string>();
};

HttpResponse JsonResponse(int status, std::string json);

// {"error": message}
HttpResponse ErrorResponse(int status, const std::string& message);

// E.g. "Not Found".
const char* StatusText(int status);

// Status line and headers with those that every response carries.
std::string HeadOf(const HttpResponse& response);

}  // namespace lethe
