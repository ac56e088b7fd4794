#pragma once

#include "engine/ports/signer.h"
#include "http/message.h"
#include "http/recent_receipts.h"

namespace lethe {

inline constexpr std::size_t kDefaultReceipts = 50;
inline constexpr std::size_t kMaxReceipts = 500;

// Answers /v1/receipts?limit=N&before=UUID with lethe.receipts/1.
HttpResponse ListReceipts(const RecentReceipts& recent_receipts, const HttpRequest& request);

// Answers /v1/receipts/{uuid} with the exact bytes of the receipt; with ?envelope=1 in a signed
// envelope, if there is a signer; with ?notices=1 as {"receipt":...,"notices":[...]}.
HttpResponse ShowReceipt(const RecentReceipts& recent_receipts, const Signer* signer,
                         const HttpRequest& request);

}  // namespace lethe
