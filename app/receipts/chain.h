#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/json/envelope.h"
#include "engine/base/status.h"
#include "engine/ports/hash.h"
#include "engine/ports/signer.h"

namespace lethe {

// One entry of a chain, a receipt or a notice: its exact bytes, and the fields that are used.
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

// The announced length and last entry of a chain, from the summary of a replay or the first line of
// an export. A bare file of receipts has none.
struct ChainHead {
  std::int64_t shard = 0;
  std::int64_t entries = 0;
  std::string head;
};

// A line of a file that was in an envelope.
struct SignedLine {
  std::string place;
  Envelope envelope;
};

// The entries of one or more chains, as they were read. A value.
struct ReceiptBook {
  std::vector<ChainEntry> entries;  // receipts, then notices, in the order of the files
  std::vector<ChainHead> heads;
  std::vector<SignedLine> signed_lines;  // of an export or a single envelope

  // Whether this is one receipt alone, without a chain that could be verified.
  bool is_single() const { return signed_lines.size() == 1 && entries.size() == 1; }
};

// One entry from its exact bytes. kCheckFailed, with the place, if it is not a receipt or notice.
Result<ChainEntry> ParseEntry(std::string_view bytes, std::string place, const Hasher& hasher);

// Reads the folder of a replay, the state of a daemon (also while it runs), or a single file with
// bare entries, an export or one envelope. Does not verify signatures. kInput if a file is missing;
// kCheckFailed, with file and line, if a line is not a receipt or notice.
Result<ReceiptBook> ReadReceipts(const std::string& path, const Hasher& hasher);

// Whether every chain is whole: each entry names the SHA-256 of the one before, nothing is missing
// in between, twice, or out of order, and the last one is the one that was announced.
// kCheckFailed says what is wrong and where.
Status VerifyChains(const ReceiptBook& book);

// Whether every envelope is signed by one of the keys, whatever key ID it names. Sets
// `signed_entries` to the number of signed entries before the first line that is not.
Status VerifySignatures(const ReceiptBook& book, const std::vector<PublicKey>& keys,
                        std::int64_t& signed_entries);

// Whether the summary of a state agrees with its chains: number of entries, last entry, outcomes,
// identity. Works while a daemon uses the state.
Status VerifyState(const std::string& path, const Hasher& hasher);

// Whether every entry of the book is an entry of the state.
Status VerifyIsPartOf(const ReceiptBook& book, const std::string& state_path, const Hasher& hasher);

// The whole chains of a state as signed envelopes, one per line. The first line is lethe.heads/1,
// with the length and the last entry of each chain, so that nothing can be cut off unnoticed.
std::string WriteExport(const ReceiptBook& book, const Signer& signer);

}  // namespace lethe
