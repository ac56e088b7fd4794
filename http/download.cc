#include "http/download.h"

#include <civetweb.h>

#include <charconv>
#include <memory>
#include <string_view>

namespace lethe {
namespace {

constexpr int kPatienceMs = 30'000;
constexpr std::string_view kScheme = "http://";
constexpr std::size_t kReadBytes = std::size_t{1} << 16;

struct Address {
  std::string host;
  int port = 80;
};

std::optional<Address> Parse(std::string_view url) {
  if (!url.starts_with(kScheme)) return std::nullopt;
  url.remove_prefix(kScheme.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  Address address;
  const std::size_t colon = url.rfind(':');
  if (colon != std::string_view::npos) {
    const std::string_view port = url.substr(colon + 1);
    const char* const end = port.data() + port.size();
    const auto [at, error] = std::from_chars(port.data(), end, address.port);
    if (error != std::errc() || at != end || address.port < 1 || address.port > 65535) {
      return std::nullopt;
    }
    url = url.substr(0, colon);
  }
  if (url.empty() || url.find_first_of("/?#@ \r\n[]") != std::string_view::npos) {
    return std::nullopt;
  }
  address.host = url;
  return address;
}

struct Library {
  Library() { mg_init_library(0); }
  ~Library() { mg_exit_library(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

}  // namespace

Result<std::string> Download(const std::string& url, const std::string& path,
                             const std::optional<std::string>& token) {
  const std::optional<Address> address = Parse(url);
  if (!address) {
    return Status(ErrorCode::kUsage, url + ": an address such as http://127.0.0.1:9464 is needed");
  }
  const Library library;
  char error[200] = "";
  const std::unique_ptr<mg_connection, void (*)(mg_connection*)> connection(
      mg_connect_client(address->host.c_str(), address->port, 0, error, sizeof error),
      mg_close_connection);
  if (connection == nullptr) {
    return Status(ErrorCode::kUnavailable, url + ": nobody answers there");
  }
  std::string request = "GET " + path + " HTTP/1.1\r\nHost: " + address->host + "\r\n";
  if (token) request += "Authorization: Bearer " + *token + "\r\n";
  request += "Connection: close\r\n\r\n";
  if (mg_write(connection.get(), request.data(), request.size()) <= 0 ||
      mg_get_response(connection.get(), error, sizeof error, kPatienceMs) < 0) {
    return Status(ErrorCode::kUnavailable, url + ": no answer that can be understood");
  }
  const mg_response_info* const info = mg_get_response_info(connection.get());
  const long long length = info->content_length;
  std::string body;
  std::string buffer(kReadBytes, '\0');
  while (length < 0 || static_cast<long long>(body.size()) < length) {
    const int size = mg_read(connection.get(), buffer.data(), buffer.size());
    if (size <= 0) break;
    body.append(buffer, 0, static_cast<std::size_t>(size));
  }
  if (info->status_code != 200) {
    return Status(ErrorCode::kInput, url + path + ": " + std::to_string(info->status_code) + " " +
                                         body.substr(0, body.find('\n')));
  }
  if (length >= 0 && static_cast<long long>(body.size()) < length) {
    return Status(ErrorCode::kUnavailable, url + ": the answer broke off");
  }
  return body;
}

}  // namespace lethe
