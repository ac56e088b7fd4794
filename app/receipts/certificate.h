#pragma once

#include <string>

#include "app/receipts/chain.h"
#include "engine/base/status.h"

namespace lethe {

// A receipt as one printable page of HTML that needs nothing else: who asked, by reference only,
// what is promised, since when, under which assumptions, what is not covered, the numbers, how to
// verify. `envelope` is empty for a receipt that is not signed. kCheckFailed: no receipt.
Result<std::string> CertificatePage(const ChainEntry& entry, const std::string& envelope);

}  // namespace lethe
