#pragma once

#include "http/erasure_gateway.h"
#include "http/message.h"

namespace lethe {

// Answers POST /v1/forget {"subject":"user-7","request":"rtbf-2291"} with 202 and the reference of
// the request. 404 if `gateway` is null, 415 or 403 for a request that a foreign web page could
// send, 400 for a bad body, 503 if the gateway fails. Blocks as long as ErasureGateway::Ask.
// Thread-safe.
HttpResponse TakeForgetRequest(ErasureGateway* gateway, const HttpRequest& request);

}  // namespace lethe
