#pragma once

#include "http/erasure_gateway.h"
#include "http/message.h"

namespace lethe {

// Answers POST /v1/forget {"subject":"user-7","request":"rtbf-2291"} with 202 and the request's
// reference. `gateway` may be null.
HttpResponse TakeForgetRequest(ErasureGateway* gateway, const HttpRequest& request);

}  // namespace lethe
