#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "http/message.h"

struct mg_connection;

namespace lethe {

// What goes over one connection of civetweb, within bounds of size and time.

std::optional<std::string> Header(const mg_connection* connection, const char* name);

// Why the request cannot be told from what follows it, or from a request to another server, as
// RFC 9112 has it (sections 3.2, 6.1 and 6.3): then the connection has to end. Nothing if all is
// well. civetweb itself reads "+5", "5, 5" and the first of two lengths as 5.
std::optional<HttpResponse> RefuseHead(const mg_connection* connection);

// The host that the client means: that of an absolute URI, or else of the Host header.
std::optional<std::string> HostOf(const mg_connection* connection);

// Whether the request is about the server as a whole, `OPTIONS *`.
bool IsAboutServer(const mg_connection* connection);

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
