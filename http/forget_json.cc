#include "http/forget_json.h"

#include <simdjson.h>

#include "engine/base/json.h"

namespace lethe {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMaxSubject = 1024;
constexpr std::size_t kMaxReference = 128;
constexpr char kExpected[] = R"(expected {"subject":"user-7"}, and "request" with a reference)";

// Refuses requests that a web page of another origin could make a browser send (cross-site request
// forgery). Without a preflight, a page can send a form or plain text, but not application/json,
// and it cannot forge the Origin header.
std::optional<HttpResponse> RefuseForeign(const HttpRequest& request) {
  const std::string type = request.content_type.value_or("");
  if (type.substr(0, type.find(';')) != "application/json") {
    return ErrorResponse(415, "Content-Type: application/json is needed");
  }
  if (request.origin && request.origin != "http://" + request.host.value_or("") &&
      request.origin != "https://" + request.host.value_or("")) {
    return ErrorResponse(403, "pages of another origin may not ask");
  }
  return std::nullopt;
}

}  // namespace

HttpResponse TakeForgetRequest(ErasureGateway* gateway, const HttpRequest& request) {
  if (gateway == nullptr) {
    return ErrorResponse(404,
                         "requests over HTTP are off: they need http.token_file, or lethe demo. "
                         "Produce the delete to the topic");
  }
  if (auto refused = RefuseForeign(request)) return *std::move(refused);
  dom::parser parser;
  dom::element root;
  std::string_view subject;
  if (parser.parse(request.body.data(), request.body.size()).get(root) ||
      root["subject"].get(subject)) {
    return ErrorResponse(400, kExpected);
  }
  if (subject.empty() || subject.size() > kMaxSubject) {
    return ErrorResponse(400, "subject must have 1 to 1024 bytes");
  }
  std::optional<std::string> reference;
  dom::element given;
  if (!root["request"].get(given) && !given.is_null()) {
    std::string_view text;
    if (given.get(text) || text.empty() || text.size() > kMaxReference) {
      return ErrorResponse(400, "request must be a text of 1 to 128 bytes");
    }
    reference = text;
  }
  const auto asked = gateway->Ask(std::string(subject), reference);
  if (!asked.ok()) return ErrorResponse(503, asked.status().message());
  JsonWriter json;
  json.BeginObject().Field("request", asked.value());
  return JsonResponse(202, json.Field("receipts", "/v1/receipts").EndObject().text());
}

}  // namespace lethe
