#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

// A client on a plain socket, which can also behave badly.
namespace lethe::testing {

class RawConnection {
 public:
  // To an url such as http://127.0.0.1:8080.
  explicit RawConnection(const std::string& url);
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  bool connected() const { return socket_ >= 0; }
  // False when the other side has closed.
  bool Send(std::string_view bytes);
  // Everything until the other side closes, or nothing comes for so long.
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

// One request. A Host header, the length of the body and Connection: close are added unless given.
HttpReply Fetch(const std::string& url, const std::string& method, const std::string& path,
                HttpHeaders headers = {}, const std::string& body = "");

inline HttpReply Get(const std::string& url, const std::string& path, HttpHeaders headers = {}) {
  return Fetch(url, "GET", path, std::move(headers));
}

}  // namespace lethe::testing
