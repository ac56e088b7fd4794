#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "app/receipts/chain.h"
#include "engine/shard/receipt.h"

namespace lethe {
namespace {

Status Broken(const std::string& place, const std::string& what) {
  return {ErrorCode::kCheckFailed, place + ": " + what};
}

using ChainKey = std::pair<std::string, std::int64_t>;  // state id, shard

// The entries of each chain.
std::map<ChainKey, std::vector<const ChainEntry*>> ByChain(const ReceiptBook& book) {
  std::map<ChainKey, std::vector<const ChainEntry*>> chains;
  for (const ChainEntry& entry : book.entries) chains[{entry.state, entry.shard}].push_back(&entry);
  return chains;
}

// Follows one chain by its hashes, and checks that it visits every entry once and in the order of
// the file. An export is one file; a replay has one file for receipts and one for notices. Takes
// time linear in the number of entries.
Status VerifyChain(const std::vector<const ChainEntry*>& entries, bool is_export,
                   const ChainEntry*& last) {
  std::unordered_map<std::string, const ChainEntry*> by_previous;
  for (const ChainEntry* entry : entries) {
    const auto [other, is_new] = by_previous.emplace(entry->previous, entry);
    if (!is_new) {
      return Broken(entry->place, "follows the same entry as " + other->second->place +
                                      ": one of the two is forged or repeated");
    }
  }
  std::string previous = kChainStart;
  std::size_t visited = 0;
  std::map<bool, const ChainEntry*> last_of_file;
  for (auto next = by_previous.find(previous); next != by_previous.end();
       next = by_previous.find(previous)) {
    last = next->second;
    previous = last->sha256;
    ++visited;
    const ChainEntry*& before = last_of_file[is_export || last->is_receipt()];
    if (before != nullptr && before > last) {
      return Broken(last->place, "stands before its predecessor " + before->place);
    }
    before = last;
  }
  if (visited == entries.size()) return Status::Ok();
  std::unordered_set<std::string_view> known = {kChainStart};
  for (const ChainEntry* entry : entries) known.insert(entry->sha256);
  for (const ChainEntry* entry : entries) {
    if (!known.contains(entry->previous)) {
      return Broken(entry->place, "the entry before it is missing or was changed");
    }
  }
  return Broken(entries.front()->place, "the chain does not begin where it should");
}

}  // namespace

Status VerifyChains(const ReceiptBook& book) {
  std::set<std::string> uuids;
  for (const ChainEntry& entry : book.entries) {
    if (entry.is_receipt() && !uuids.insert(entry.receipt).second) {
      return Broken(entry.place, "a receipt of the same name exists already");
    }
  }
  if (book.is_single()) return Status::Ok();
  const bool is_export = !book.signed_lines.empty();
  std::map<std::int64_t, std::pair<std::int64_t, std::string>> found;  // shard: entries, head
  for (const auto& [key, entries] : ByChain(book)) {
    const ChainEntry* last = nullptr;
    LETHE_RETURN_IF_ERROR(VerifyChain(entries, is_export, last));
    const auto [chain, is_new] = found.insert_or_assign(
        key.second, std::pair(static_cast<std::int64_t>(entries.size()), last->sha256));
    // The heads name shards only. With two chains of one shard, one of them would not be announced.
    if (is_export && !is_new) {
      return Broken(
          entries.front()->place,
          "a second chain of shard " + std::to_string(chain->first) + ", of another state");
    }
  }
  if (is_export && found.size() > book.heads.size()) {
    return Broken(book.signed_lines.front().place,
                  "an export begins with the signed heads of all its chains: this line is missing, "
                  "or lacks one");
  }
  for (const ChainHead& head : book.heads) {
    const auto& [entries, sha256] = found[head.shard];
    const bool is_empty = head.entries == 0 && entries == 0;
    if (!is_empty && (entries != head.entries || sha256 != head.head)) {
      return Broken("shard " + std::to_string(head.shard),
                    "the chain has " + std::to_string(entries) + " entries where " +
                        std::to_string(head.entries) + " were announced, or ends in another one");
    }
  }
  return Status::Ok();
}

}  // namespace lethe
