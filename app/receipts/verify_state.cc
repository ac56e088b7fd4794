#include <algorithm>
#include <map>
#include <unordered_set>

#include "app/receipts/chain.h"
#include "app/receipts/key_file.h"
#include "engine/base/json.h"
#include "engine/shard/receipt.h"
#include "state/shard_folder.h"
#include "state/summary.h"

namespace lethe {
namespace {

Status Broken(const std::string& place, const std::string& what) {
  return {ErrorCode::kCheckFailed, place + ": " + what};
}

// The entries of one shard, in the order of the chain.
std::vector<const ChainEntry*> EntriesOf(const ReceiptBook& book, ShardId shard) {
  std::vector<const ChainEntry*> entries;
  for (const ChainEntry& entry : book.entries) {
    if (entry.shard == shard.value) entries.push_back(&entry);
  }
  return entries;
}

// Compares one shard's summary with its entries. A state in use grows, so entries after those that
// the summary knows are allowed.
Status VerifyShard(const ShardSummary& summary, const std::vector<const ChainEntry*>& entries) {
  const auto known = static_cast<std::size_t>(summary.known_entries);
  if (entries.size() < known) {
    return Broken(summary.folder, "the engine has written " + std::to_string(known) +
                                      " entries, the chain has " + std::to_string(entries.size()));
  }
  const std::string head = known == 0 ? std::string(kChainStart) : entries[known - 1]->sha256;
  if (summary.commits > 0 && head != summary.chain_head) {
    return Broken(summary.folder, "entry " + std::to_string(known) +
                                      " of the chain is not the one that the engine remembers");
  }
  std::map<std::string, std::int64_t> outcomes;
  for (std::size_t i = 0; i < known; ++i) {
    if (entries[i]->state != ToText(summary.state)) {
      return Broken(entries[i]->place, "belongs to another state, " + entries[i]->state);
    }
    if (entries[i]->is_receipt()) ++outcomes[entries[i]->outcome];
  }
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    const char* const name = Name(static_cast<Outcome>(i));
    if (outcomes[name] != summary.counters.outcomes[i]) {
      return Broken(summary.folder, "the engine has counted " +
                                        std::to_string(summary.counters.outcomes[i]) + " " + name +
                                        ", the chain has " + std::to_string(outcomes[name]));
    }
  }
  return Status::Ok();
}

}  // namespace

Status VerifyState(const std::string& path, const Hasher& hasher) {
  const auto shards = ShardsIn(path);
  if (!shards.ok()) return shards.status();
  // The summaries are read before the chains, because the chains may grow meanwhile.
  std::vector<ShardSummary> summaries;
  for (const ShardId shard : shards.value()) {
    auto summary = SummariseShard(path, shard, hasher, false);
    if (!summary.ok()) return summary.status();
    summaries.push_back(std::move(summary).value());
  }
  const auto book = ReadReceipts(path, hasher);
  if (!book.ok()) return book.status();
  LETHE_RETURN_IF_ERROR(VerifyChains(book.value()));
  for (const ShardSummary& summary : summaries) {
    LETHE_RETURN_IF_ERROR(VerifyShard(summary, EntriesOf(book.value(), summary.shard)));
  }
  return KeyFile::Read(path).status();
}

Status VerifySignatures(const ReceiptBook& book, const std::vector<PublicKey>& keys,
                        std::int64_t& signed_entries) {
  // The key ID of an envelope is not signed: it can say nothing about whose signature this is.
  signed_entries = 0;
  for (std::size_t i = 0; i < book.signed_lines.size(); ++i) {
    const SignedLine& line = book.signed_lines[i];
    if (std::none_of(keys.begin(), keys.end(),
                     [&](const PublicKey& key) { return line.envelope.IsSignedBy(key); })) {
      return Broken(line.place,
                    "none of the keys given has signed this: it was changed, or signed with "
                    "another key");
    }
    // The heads of an export are no entry.
    if (i > 0 || book.signed_lines.size() == book.entries.size()) ++signed_entries;
  }
  return Status::Ok();
}

Status VerifyIsPartOf(const ReceiptBook& book, const std::string& state_path,
                      const Hasher& hasher) {
  const auto state = ReadReceipts(state_path, hasher);
  if (!state.ok()) return state.status();
  std::unordered_set<std::string> known;
  for (const ChainEntry& entry : state.value().entries) known.insert(entry.sha256);
  for (const ChainEntry& entry : book.entries) {
    if (!known.contains(entry.sha256)) {
      return Broken(entry.place, "is not in the chain of " + state_path);
    }
  }
  return Status::Ok();
}

std::string WriteExport(const ReceiptBook& book, const Signer& signer) {
  std::map<std::int64_t, ChainHead> heads;
  std::string lines;
  for (const ChainEntry& entry : book.entries) {
    ChainHead& head = heads[entry.shard];
    head = {entry.shard, head.entries + 1, entry.sha256};
    lines += signer.Envelope(entry.bytes) + "\n";
  }
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.heads/1").Key("chains").BeginArray();
  for (const auto& [shard, head] : heads) {
    json.BeginObject().Field("shard", shard).Field("entries", head.entries);
    json.Field("head", head.head).EndObject();
  }
  return signer.Envelope(json.EndArray().EndObject().text()) + "\n" + lines;
}

}  // namespace lethe
