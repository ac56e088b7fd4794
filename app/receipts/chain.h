#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/ports/hash.h"
#include "engine/status.h"

namespace lethe {

// One line of receipts.ndjson or notices.ndjson: the exact bytes and the fields that are looked at.
struct ChainEntry {
  std::string bytes;
  std::string place;  // file:line
  std::string sha256;
  std::string format;
  std::string receipt;
  std::string state;
  std::int64_t shard = 0;
  std::string previous;
  // Receipts only.
  std::optional<std::string> request;
  std::string outcome;
  std::string statement;
  std::int64_t events = 0;
  bool certified = false;
  std::optional<double> sigma;
  std::int64_t effective_offset = 0;
  std::int64_t model_version = 0;

  bool is_receipt() const { return format == "lethe.receipt/1"; }
};

// What a replay said about the chains that it wrote; absent for a bare file of receipts.
struct ChainHead {
  std::int64_t shard = 0;
  std::int64_t entries = 0;
  std::string head;
};

struct ReceiptBook {
  std::vector<ChainEntry> entries;  // receipts, then notices, as they stand in the files
  std::vector<ChainHead> heads;
};

// Reads the folder of a replay, the state of a daemon (also while it runs), or a single file.
// kInput when a file is not there; kCheckFailed with its place when a line is no receipt or notice.
Result<ReceiptBook> ReadReceipts(const std::string& path, const Hasher& hasher);

// Whether every chain is whole: each entry names the SHA-256 of the one before, nothing is missing
// in between, twice, or out of order, and the last one is the one that was announced.
// kCheckFailed says what is wrong and where.
Status VerifyChains(const ReceiptBook& book);

}  // namespace lethe
