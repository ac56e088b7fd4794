#pragma once

#include <optional>
#include <string>

#include "engine/ports/signer.h"
#include "http/erasure_gateway.h"
#include "http/recent_receipts.h"

namespace lethe {

// The optional parts of a server. All pointers are borrowed and must outlive the server; null turns
// the part off.
struct HttpExtras {
  const RecentReceipts* receipts = nullptr;  // none: /v1/receipts is empty
  const Signer* signer = nullptr;            // none: no envelopes, and /v1/keys is off
  ErasureGateway* forget = nullptr;          // none: /v1/forget is off
  // The dashboard is read from this folder at every request, instead of from the program.
  std::optional<std::string> web_root = std::nullopt;
};

}  // namespace lethe
