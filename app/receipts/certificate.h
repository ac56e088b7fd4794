#pragma once

#include <string>

#include "app/receipts/chain.h"
#include "engine/base/status.h"

namespace lethe {

// The certificate: a receipt as one printable, self-contained HTML page. It has the reference of
// the request, the promise and its first model version, the assumptions, what is not covered, the
// figures, and how to verify them. `envelope` is empty for a receipt that is not signed.
// kCheckFailed if the entry is not a receipt.
Result<std::string> CertificatePage(const ChainEntry& entry, const std::string& envelope);

}  // namespace lethe
