#include "tests/support/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

namespace lethe::testing {
namespace {

std::string Authority(const std::string& url) { return url.substr(url.find("//") + 2); }

}  // namespace

RawConnection::RawConnection(const std::string& url) {
  const std::string authority = Authority(url);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int port = std::atoi(authority.substr(authority.rfind(':') + 1).c_str());
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socket_ = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    close(socket_);
    socket_ = -1;
  }
}

RawConnection::~RawConnection() {
  if (socket_ >= 0) close(socket_);
}

bool RawConnection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string RawConnection::ReadAll(std::chrono::milliseconds patience) {
  std::string all;
  char buffer[4096];
  pollfd waiting{socket_, POLLIN, 0};
  while (poll(&waiting, 1, static_cast<int>(patience.count())) > 0) {
    const ssize_t size = recv(socket_, buffer, sizeof buffer, 0);
    if (size <= 0) break;
    all.append(buffer, static_cast<std::size_t>(size));
  }
  return all;
}

HttpReply ParseReply(const std::string& text) {
  HttpReply reply;
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos || !text.starts_with("HTTP/1.1 ")) return reply;
  reply.status = std::atoi(text.c_str() + 9);
  reply.body = text.substr(end + 4);
  std::istringstream lines(text.substr(0, end));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    if (line.ends_with('\r')) line.pop_back();
    const std::size_t colon = line.find(':');
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    reply.headers[name] = line.substr(std::min(line.size(), colon + 2));
  }
  return reply;
}

HttpReply Fetch(const std::string& url, const std::string& method, const std::string& path,
                HttpHeaders headers, const std::string& body) {
  headers.emplace("Host", Authority(url));
  headers.emplace("Connection", "close");
  if (!body.empty() || method == "POST") {
    headers.emplace("Content-Length", std::to_string(body.size()));
  }
  std::string request = method + " " + path + " HTTP/1.1\r\n";
  for (const auto& [name, value] : headers) {
    request.append(name).append(": ").append(value).append("\r\n");
  }
  RawConnection connection(url);
  if (!connection.connected()) return {};
  // What was answered counts, also when the server did not want to read everything.
  (void)connection.Send(request + "\r\n" + body);
  return ParseReply(connection.ReadAll());
}

}  // namespace lethe::testing
