#include "http/message.h"

#include <algorithm>

#include "engine/base/json.h"

namespace lethe {
namespace {

constexpr char kNothing[] =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr char kOwnFiles[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace

std::optional<std::string_view> HttpRequest::Parameter(std::string_view name) const {
  for (std::string_view rest = query; !rest.empty();) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) != name) continue;
    return pair.substr(std::min(pair.size(), equals + 1));
  }
  return std::nullopt;
}

HttpResponse JsonResponse(int status, std::string json) {
  HttpResponse response;
  response.status = status;
  response.body = std::make_shared<const std::string>(std::move(json) + "\n");
  return response;
}

HttpResponse ErrorResponse(int status, const std::string& message) {
  JsonWriter json;
  return JsonResponse(status, json.BeginObject().Field("error", message).EndObject().text());
}

const char* StatusText(int status) {
  switch (status) {
    case 200: return "OK";
    case 202: return "Accepted";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 411: return "Length Required";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return "Error";
  }
}

std::string HeadOf(const HttpResponse& response) {
  std::string head =
      "HTTP/1.1 " + std::to_string(response.status) + " " + StatusText(response.status) + "\r\n";
  const auto add = [&head](const std::string& name, const std::string& value) {
    head += name + ": " + value + "\r\n";
  };
  // A 304 has no body, and a Content-Length in it would be taken for the length of the 200.
  if (response.status != 304) {
    add("Content-Type", response.content_type);
    add("Content-Length", std::to_string(response.body->size()));
  }
  add("Cache-Control", response.cache_control);
  add("Content-Security-Policy", response.is_page ? kOwnFiles : kNothing);
  add("X-Content-Type-Options", "nosniff");
  add("Referrer-Policy", "no-referrer");
  for (const auto& [name, value] : response.headers) add(name, value);
  add("Connection", response.goes_on ? "keep-alive" : "close");
  return head + "\r\n";
}

}  // namespace lethe
