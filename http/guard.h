#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace lethe {

// Compares ASCII texts.
bool EqualIgnoringCase(std::string_view a, std::string_view b);

// True for localhost, 127.0.0.0/8 and ::1 (with or without brackets).
bool IsLoopback(std::string_view host);

// The host in a Host header, without the port.
std::string_view HostWithoutPort(std::string_view header);

// Whether the texts are equal. The time depends on the lengths only, so that a client cannot guess
// a token byte by byte.
bool EqualInConstantTime(std::string_view a, std::string_view b);

// The access check that every request passes first: host name and bearer token. Immutable, so it is
// thread-safe.
class HttpGuard {
 public:
  // `loopback_only`: the server listens on loopback, and refuses a Host header with another name.
  // Such a request comes from a web page whose name was made to resolve to this machine (DNS
  // rebinding). Without a `token` no request needs one.
  HttpGuard(bool loopback_only, std::optional<std::string> token)
      : loopback_only_(loopback_only), token_(std::move(token)) {}

  // The refusal (403 or 401), or nothing if the request may pass. `open` paths need no token.
  std::optional<HttpResponse> Refuse(const HttpRequest& request, bool open) const;

 private:
  bool loopback_only_;
  std::optional<std::string> token_;
};

}  // namespace lethe
