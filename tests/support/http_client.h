#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

// An HTTP client on a plain socket, which can also send malformed requests.
namespace lethe::testing {

class RawConnection {
 public:
  // Connects to a URL such as http://127.0.0.1:8080.
  explicit RawConnection(const std::string& url);
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  bool connected() const { return socket_ >= 0; }
  // False when the other side has closed.
  bool Send(std::string_view bytes);
  // Reads until the other side closes, or until nothing has come for `patience`.
  std::string ReadAll(std::chrono::milliseconds patience = std::chrono::seconds(20));

 private:
  int socket_ = -1;
};

struct HttpReply {
  int status = 0;                              // 0: no reply
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

using HttpHeaders = std::map<std::string, std::string>;

HttpReply ParseReply(const std::string& text);

// Sends one request and reads the reply. Adds the headers Host, Content-Length and Connection:
// close unless they are given.
HttpReply Fetch(const std::string& url, const std::string& method, const std::string& path,
                HttpHeaders headers = {}, const std::string& body = "");

inline HttpReply Get(const std::string& url, const std::string& path, HttpHeaders headers = {}) {
  return Fetch(url, "GET", path, std::move(headers));
}

}  // namespace lethe::testing
