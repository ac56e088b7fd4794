#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "connectors/json/envelope.h"
#include "engine/base/status.h"
#include "engine/ports/hash.h"
#include "engine/ports/signer.h"

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

// What the summary of a replay, or the first line of an export, says about a chain; absent for a
// bare file of receipts.
struct ChainHead {
  std::int64_t shard = 0;
  std::int64_t entries = 0;
  std::string head;
};

// A line of a file that came in an envelope.
struct SignedLine {
  std::string place;
  Envelope envelope;
};

struct ReceiptBook {
  std::vector<ChainEntry> entries;  // receipts, then notices, as they stand in the files
  std::vector<ChainHead> heads;
  std::vector<SignedLine> signed_lines;  // an export, or a single envelope

  // One receipt on its own, which has no chain to be followed.
  bool is_single() const { return signed_lines.size() == 1 && entries.size() == 1; }
};

// Reads the folder of a replay, the state of a daemon (also while it runs), or a single file:
// bare entries, an export, or one envelope. Signatures are not looked at.
// kInput when a file is not there; kCheckFailed with its place when a line is no receipt or notice.
Result<ReceiptBook> ReadReceipts(const std::string& path, const Hasher& hasher);

// Whether every chain is whole: each entry names the SHA-256 of the one before, nothing is missing
// in between, twice, or out of order, and the last one is the one that was announced.
// kCheckFailed says what is wrong and where.
Status VerifyChains(const ReceiptBook& book);

// Whether every envelope is signed by one of the keys, whatever key ID it names.
// `signed_entries`: how many entries are, up to the first line that is not.
Status VerifySignatures(const ReceiptBook& book, const std::vector<PublicKey>& keys,
                        std::int64_t& signed_entries);

// Whether what a state remembers of its chains is what stands in them: the number of entries, the
// last one, the outcomes, who it is. Also while it is in use.
Status VerifyState(const std::string& path, const Hasher& hasher);

// Whether every entry of the book is an entry of the state.
Status VerifyIsPartOf(const ReceiptBook& book, const std::string& state_path, const Hasher& hasher);

// The whole chains of a state in signed envelopes, one to a line. The first is lethe.heads/1: how
// many entries each chain has, and its last, so that nothing can be cut off.
std::string WriteExport(const ReceiptBook& book, const Signer& signer);

}  // namespace lethe
