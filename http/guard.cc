#include "http/guard.h"

#include <algorithm>
#include <cctype>

namespace lethe {

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

namespace {

// The token of "Bearer TOKEN"; empty when there is none.
std::string_view BearerToken(std::string_view authorization) {
  static constexpr std::string_view kScheme = "Bearer ";
  if (!EqualIgnoringCase(authorization.substr(0, kScheme.size()), kScheme)) return {};
  authorization.remove_prefix(kScheme.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  return authorization;
}

// 127.0.0.0/8 in the form of four numbers, as browsers write it. 127.evil.example is a name, not an
// address.
bool IsLoopbackAddress(std::string_view host) {
  return host.starts_with("127.") && std::count(host.begin(), host.end(), '.') == 3 &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

bool IsLoopback(std::string_view host) {
  return EqualIgnoringCase(host, "localhost") || IsLoopbackAddress(host) || host == "::1" ||
         host == "[::1]";
}

std::string_view HostWithoutPort(std::string_view header) {
  if (header.starts_with('[')) {
    const std::size_t end = header.find(']');
    if (end == std::string_view::npos) return header;
    const std::string_view rest = header.substr(end + 1);
    return rest.empty() || rest.starts_with(':') ? header.substr(0, end + 1) : header;
  }
  return header.substr(0, header.find(':'));
}

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const char other = b.empty() ? '\0' : b[i % b.size()];
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(other);
  }
  return difference == 0;
}

std::optional<HttpResponse> HttpGuard::Refuse(const HttpRequest& request, bool open) const {
  if (loopback_only_ && request.host && !IsLoopback(HostWithoutPort(*request.host))) {
    return ErrorResponse(403,
                         "this server listens on loopback and answers to localhost, 127.0.0.1 and "
                         "[::1] only; to reach it by another name, set http.listen");
  }
  if (open || !token_) return std::nullopt;
  if (request.authorization && EqualInConstantTime(BearerToken(*request.authorization), *token_)) {
    return std::nullopt;
  }
  HttpResponse response =
      ErrorResponse(401, "a bearer token is needed: Authorization: Bearer TOKEN");
  response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"lethe\"");
  return response;
}

}  // namespace lethe
