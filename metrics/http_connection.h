#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "metrics/http_message.h"

struct mg_connection;

namespace lethe {

// What goes over one connection of civetweb, within bounds of size and time.

std::optional<std::string> Header(const mg_connection* connection, const char* name);

// A body that is larger may take a client long to receive.
inline constexpr std::size_t kLargeBytes = std::size_t{1} << 16;

// Sends the head and, unless it is not wanted, the body. False when not all of it could be sent.
bool Send(mg_connection* connection, const HttpResponse& response, bool with_body);

// Fills request.body; the refusal, or nothing.
std::optional<HttpResponse> TakeBody(mg_connection* connection, HttpRequest& request);

// A response may be lost when the connection is closed with unread data: takes some of it away.
void Drain(mg_connection* connection);

// Whether nothing is left of this request on the connection, so that another one may follow, and
// the client wants that.
bool MayGoOn(const mg_connection* connection, const HttpRequest& request);

}  // namespace lethe
