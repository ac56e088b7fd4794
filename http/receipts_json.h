#pragma once

#include "engine/ports/signer.h"
#include "http/message.h"
#include "http/recent_receipts.h"

namespace lethe {

inline constexpr std::size_t kDefaultReceipts = 50;
inline constexpr std::size_t kMaxReceipts = 500;

// Answers /v1/receipts?limit=N&before=UUID with lethe.receipts/1: requests, the newest first. 400
// for a bad parameter, 404 if `before` is not held any more. Thread-safe, like ShowReceipt.
HttpResponse ListReceipts(const RecentReceipts& recent_receipts, const HttpRequest& request);

// Answers /v1/receipts/{uuid} with the exact bytes of the receipt. With ?envelope=1 the bytes are
// in a signed envelope (404 if `signer` is null); with ?notices=1 the answer is
// {"receipt":...,"notices":[...]}. 404 if the request is not held or has no receipt yet.
HttpResponse ShowReceipt(const RecentReceipts& recent_receipts, const Signer* signer,
                         const HttpRequest& request);

}  // namespace lethe
