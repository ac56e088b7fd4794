#include "http/connection.h"

#include <civetweb.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

#include "http/guard.h"
#include "http/handler.h"

namespace lethe {
namespace {

constexpr auto kBodyTime = std::chrono::seconds(10);
constexpr auto kSendTime = std::chrono::minutes(5);

// mg_read returns only when all bytes asked for have come. Small reads let ReadBody check its
// deadline even if a client sends one byte at a time; after a fast read the next one is twice as
// large.
constexpr std::size_t kLeastRead = 64;
constexpr std::size_t kMostRead = std::size_t{1} << 14;
constexpr auto kQuickly = std::chrono::milliseconds(5);

using SteadyClock = std::chrono::steady_clock;

// Appends at most `limit` bytes to an empty body, for about kBodyTime. Returns false when the time
// is over.
bool ReadBody(mg_connection* connection, std::size_t limit, std::string& body) {
  const auto deadline = SteadyClock::now() + kBodyTime;
  char buffer[kMostRead];
  std::size_t piece = kLeastRead;
  while (body.size() < limit) {
    const auto before = SteadyClock::now();
    if (before > deadline) return false;
    const int size = mg_read(connection, buffer, std::min(piece, limit - body.size()));
    if (size <= 0) break;
    body.append(buffer, static_cast<std::size_t>(size));
    piece = SteadyClock::now() - before < kQuickly ? std::min(2 * piece, kMostRead) : kLeastRead;
  }
  return true;
}

bool EndsConnection(const std::optional<std::string>& header) {
  return header && header->find("lose") != std::string::npos;  // close or Close
}

// Every value of a header, in order; mg_get_header returns the first one only.
std::vector<std::string_view> Headers(const mg_request_info& info, std::string_view name) {
  std::vector<std::string_view> values;
  for (int i = 0; i < info.num_headers; ++i) {
    if (EqualIgnoringCase(info.http_headers[i].name, name)) {
      values.emplace_back(info.http_headers[i].value);
    }
  }
  return values;
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether the text has only characters that a name, an address in brackets and a port may have.
bool MayBeHost(std::string_view text) {
  return text.find_first_of(" \t,;/?#@\\\"<>") == std::string_view::npos;
}

}  // namespace

std::optional<HttpResponse> RefuseHead(const mg_connection* connection) {
  const mg_request_info& info = *mg_get_request_info(connection);
  const auto hosts = Headers(info, "Host");
  const bool is_new = std::string_view(info.http_version) != "1.0";
  if (hosts.size() > 1 || (hosts.empty() && is_new)) {
    return ErrorResponse(400, "one Host header is needed");
  }
  if (const auto host = HostOf(connection); host && !MayBeHost(*host)) {
    return ErrorResponse(400, "the host is not a name or an address");
  }
  const auto lengths = Headers(info, "Content-Length");
  if (lengths.size() > 1 || (lengths.size() == 1 && !IsNumber(lengths.front()))) {
    return ErrorResponse(400, "one Content-Length is needed, in digits only");
  }
  if (!lengths.empty() && !Headers(info, "Transfer-Encoding").empty()) {
    return ErrorResponse(400, "a body has either a Content-Length or a Transfer-Encoding");
  }
  return std::nullopt;
}

std::optional<std::string> HostOf(const mg_connection* connection) {
  const mg_request_info& info = *mg_get_request_info(connection);
  const std::string_view target = info.request_uri == nullptr ? "" : info.request_uri;
  const std::size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) {
    return Header(connection, "Host");
  }
  const std::string_view rest = target.substr(scheme + 3);
  return std::string(rest.substr(0, rest.find_first_of("/?")));
}

bool IsAboutServer(const mg_connection* connection) {
  const mg_request_info* info = mg_get_request_info(connection);
  return info != nullptr && info->request_method != nullptr && info->request_uri != nullptr &&
         std::string_view(info->request_method) == "OPTIONS" &&
         std::string_view(info->request_uri) == "*";
}

std::optional<std::string> Header(const mg_connection* connection, const char* name) {
  const char* value = mg_get_header(connection, name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

bool Send(mg_connection* connection, const HttpResponse& response, bool with_body) {
  const auto deadline = SteadyClock::now() + kSendTime;
  std::string head = HeadOf(response);
  const std::string& body = *response.body;
  const bool has_body = with_body && response.status != 304;
  // A small body is sent together with the head, in one piece.
  std::size_t sent = 0;
  if (has_body && body.size() < kLargeBytes) {
    head += body;
    sent = body.size();
  }
  if (mg_write(connection, head.data(), head.size()) != static_cast<int>(head.size())) return false;
  if (!has_body) return true;
  while (sent < body.size() && SteadyClock::now() < deadline) {
    const std::size_t size = std::min(kLargeBytes, body.size() - sent);
    if (mg_write(connection, body.data() + sent, size) != static_cast<int>(size)) return false;
    sent += size;
  }
  return sent == body.size();
}

void Drain(mg_connection* connection) {
  std::string ignored;
  (void)ReadBody(connection, 4 * kMaxBodyBytes, ignored);
}

std::optional<HttpResponse> TakeBody(mg_connection* connection, HttpRequest& request) {
  const bool chunked = Header(connection, "Transfer-Encoding").has_value();
  const long long length = mg_get_request_info(connection)->content_length;
  if (!chunked && !Header(connection, "Content-Length")) {
    return ErrorResponse(411, "a Content-Length is needed");
  }
  const std::string too_large =
      "the body has more than " + std::to_string(kMaxBodyBytes) + " bytes";
  if (!chunked && length > static_cast<long long>(kMaxBodyBytes)) {
    return ErrorResponse(413, too_large);
  }
  if (Header(connection, "Expect")) mg_printf(connection, "HTTP/1.1 100 Continue\r\n\r\n");
  if (!ReadBody(connection, kMaxBodyBytes + 1, request.body)) {
    return ErrorResponse(408, "the body took too long to arrive");
  }
  if (request.body.size() > kMaxBodyBytes) return ErrorResponse(413, too_large);
  if (!chunked && static_cast<long long>(request.body.size()) < length) {
    return ErrorResponse(400, "the body is shorter than its Content-Length");
  }
  return std::nullopt;
}

bool MayGoOn(const mg_connection* connection, const HttpRequest& request) {
  const mg_request_info* info = mg_get_request_info(connection);
  if (std::string_view(info->http_version) != "1.1" ||
      EndsConnection(Header(connection, "Connection"))) {
    return false;
  }
  if (Header(connection, "Transfer-Encoding")) return false;
  const auto length = static_cast<long long>(request.body.size());
  return request.method == "POST" ? info->content_length == length : info->content_length <= 0;
}

}  // namespace lethe
