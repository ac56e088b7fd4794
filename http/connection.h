#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "http/message.h"

struct mg_connection;

namespace lethe {

// Reading requests from and sending responses to one connection of civetweb, within limits of size
// and time. Each function is called by the thread that serves the connection, and borrows it.

// The value of a header, the first one if it is repeated; nothing if it is absent.
std::optional<std::string> Header(const mg_connection* connection, const char* name);

// Refuses a request whose host or length is ambiguous (RFC 9112, sections 3.2, 6.1 and 6.3). An
// ambiguous length would let one client smuggle a second request into the first, so the connection
// must be closed after the refusal. Returns nothing if the head is sound. civetweb itself is more
// lenient: it reads "+5", "5, 5" and the first of two lengths as 5.
std::optional<HttpResponse> RefuseHead(const mg_connection* connection);

// The host that the client addresses: the host of an absolute URI, or else the Host header.
std::optional<std::string> HostOf(const mg_connection* connection);

// Whether the request is `OPTIONS *`, which is about the server as a whole.
bool IsAboutServer(const mg_connection* connection);

// A larger body may take a slow client long to receive.
inline constexpr std::size_t kLargeBytes = std::size_t{1} << 16;

// Sends the head and, with `with_body`, the body, for at most five minutes. Returns false if not
// all of it could be sent; the connection must then be closed.
bool Send(mg_connection* connection, const HttpResponse& response, bool with_body);

// Reads the body into request.body, for at most ten seconds. Returns the refusal if the body is
// missing, too large, too slow or too short, and nothing on success.
std::optional<HttpResponse> TakeBody(mg_connection* connection, HttpRequest& request);

// Reads and drops up to 4 MiB of an unread body. If a connection is closed with unread data, the
// operating system resets it, and the client may lose the response.
void Drain(mg_connection* connection);

// Whether the connection may serve another request: the body was read completely, and the client
// has not asked to close.
bool MayGoOn(const mg_connection* connection, const HttpRequest& request);

}  // namespace lethe
