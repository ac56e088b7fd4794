#pragma once

#include <optional>
#include <string>

#include "engine/ports/signer.h"
#include "http/erasure_gateway.h"
#include "http/recent_receipts.h"

namespace lethe {

// What a server may have beside the published and the metrics. All outlive it.
struct HttpExtras {
  const RecentReceipts* receipts = nullptr;
  const Signer* signer = nullptr;    // none: no envelopes, and /v1/keys is off
  ErasureGateway* forget = nullptr;  // none: /v1/forget is off
  std::optional<std::string> web_root =
      std::nullopt;  // the page from this folder, read at every request
};

}  // namespace lethe
