#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace lethe {

// Of ASCII.
bool EqualIgnoringCase(std::string_view a, std::string_view b);

// True for localhost, 127.0.0.0/8 and ::1 (with or without brackets).
bool IsLoopback(std::string_view host);

// The host of a Host header: without its port.
std::string_view HostWithoutPort(std::string_view header);

// Equal texts, in a time that depends on the lengths only.
bool EqualInConstantTime(std::string_view a, std::string_view b);

// Who may ask at all.
class HttpGuard {
 public:
  // `loopback_only`: listens on loopback, so that a Host header with another name comes from a web
  // page whose name was made to resolve to this machine (DNS rebinding).
  HttpGuard(bool loopback_only, std::optional<std::string> token)
      : loopback_only_(loopback_only), token_(std::move(token)) {}

  // The refusal, or nothing. `open`: asks for no token.
  std::optional<HttpResponse> Refuse(const HttpRequest& request, bool open) const;

 private:
  bool loopback_only_;
  std::optional<std::string> token_;
};

}  // namespace lethe
