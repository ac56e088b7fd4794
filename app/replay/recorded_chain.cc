#include "app/replay/recorded_chain.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include <simdjson.h>

namespace lethe {
namespace {

namespace dom = simdjson::dom;

std::int64_t NumberAt(const dom::element& object, const char* pointer) {
  std::int64_t number = -1;
  return object.at_pointer(pointer).get(number) == simdjson::SUCCESS ? number : -1;
}

std::string TextAt(const dom::element& object, const char* pointer) {
  std::string_view text;
  if (object.at_pointer(pointer).get(text) != simdjson::SUCCESS) return {};
  return std::string(text);
}

Status Bad(ErrorCode code, const std::string& place, const std::string& what) {
  return {code, place + ": " + what};
}

// The entries of one chain in its order. An entry may stand in the file twice: a daemon that was
// killed may have published it again.
Result<std::vector<const ChainEntry*>> InOrder(const std::vector<const ChainEntry*>& entries) {
  std::unordered_map<std::string_view, const ChainEntry*> by_previous;
  for (const ChainEntry* entry : entries) {
    const auto [other, is_new] = by_previous.emplace(entry->previous, entry);
    if (!is_new && other->second->bytes != entry->bytes) {
      return Bad(ErrorCode::kCheckFailed, entry->place,
                 "follows the same entry as " + other->second->place +
                     ": the chain is broken; see lethe receipts verify");
    }
  }
  std::vector<const ChainEntry*> ordered;
  for (auto next = by_previous.find(kChainStart); next != by_previous.end();
       next = by_previous.find(next->second->sha256)) {
    ordered.push_back(next->second);
  }
  if (ordered.size() == by_previous.size()) return ordered;
  const std::set<const ChainEntry*> reached(ordered.begin(), ordered.end());
  const auto lost = std::find_if(entries.begin(), entries.end(), [&](const ChainEntry* entry) {
    return !reached.contains(entry) && by_previous.at(entry->previous) == entry;
  });
  return Bad(
      ErrorCode::kCheckFailed, (*lost)->place,
      "an entry before it is missing or was changed: the chain is broken; see lethe receipts "
      "verify");
}

// The decisions that the entries of one chain record, one entry after the other.
class DecisionReader {
 public:
  explicit DecisionReader(RecordedDecisions& decisions) : decisions_(decisions) {}
  ~DecisionReader() { Flush(); }
  DecisionReader(const DecisionReader&) = delete;
  DecisionReader& operator=(const DecisionReader&) = delete;

  void Add(const ChainEntry& entry, const dom::element& object) {
    std::optional<RecordedDecision> decision =
        entry.is_receipt() ? Served(entry, object) : Noticed(entry, object);
    // Requests that took effect together follow each other and have one model version. An erasure
    // writes a notice for every receipt that it is due for.
    const bool goes_on = open_ && decision && open_->kind == decision->kind &&
                         decision->kind != RecordedDecision::Kind::kSlide &&
                         (decision->kind == RecordedDecision::Kind::kErase ||
                          open_->model_version == decision->model_version);
    if (!goes_on) {
      Flush();
      open_ = std::move(decision);
      return;
    }
    open_->received.insert(open_->received.end(), decision->received.begin(),
                           decision->received.end());
    if (decision->by != EffectiveBy::kStream) open_->by = decision->by;
  }

 private:
  static EffectiveBy ByIn(const dom::element& object) {
    const std::string by = TextAt(object, "/effective/by");
    return by == Name(EffectiveBy::kGroup)   ? EffectiveBy::kGroup
           : by == Name(EffectiveBy::kTimer) ? EffectiveBy::kTimer
                                             : EffectiveBy::kStream;
  }

  static std::optional<RecordedDecision> Served(const ChainEntry& entry,
                                                const dom::element& object) {
    if (entry.outcome != "forgotten") return std::nullopt;
    return RecordedDecision{.kind = RecordedDecision::Kind::kServe,
                            .place = entry.place,
                            .offset = {NumberAt(object, "/effective/offset")},
                            .time = {NumberAt(object, "/effective/timestamp")},
                            .before = {},
                            .index = NumberAt(object, "/effective/index"),
                            .model_version = {NumberAt(object, "/effective/model_version")},
                            .by = ByIn(object),
                            .received = {{NumberAt(object, "/received/offset")}}};
  }

  std::optional<RecordedDecision> Noticed(const ChainEntry& entry, const dom::element& object) {
    const std::string status = TextAt(object, "/status");
    const Offset offset{NumberAt(object, "/offset")};
    if (status == "received") decisions_.AddWait(offset, entry.place);
    if (status == "clock") decisions_.AddArrival(offset, {NumberAt(object, "/arrival")});
    const bool is_slide = status == "expired";
    if ((status != "erased" && !is_slide) || TextAt(object, "/by") != "timer") return std::nullopt;
    return RecordedDecision{
        .kind = is_slide ? RecordedDecision::Kind::kSlide : RecordedDecision::Kind::kErase,
        .place = entry.place,
        .offset = offset,
        .time = {NumberAt(object, "/timestamp")},
        .before = {is_slide ? NumberAt(object, "/before") : 0},
        .index = 0,
        .model_version = {},
        .received = {}};
  }

  void Flush() {
    if (open_) decisions_.Add(*std::exchange(open_, std::nullopt));
  }

  RecordedDecisions& decisions_;
  std::optional<RecordedDecision> open_;
};

// What two entries have to agree in when their names and keys differ: empty if they do, else the
// first member that differs.
std::string Difference(const dom::element& ours, const dom::element& theirs) {
  for (const char* member : {"/format",
                             "/status",
                             "/outcome",
                             "/cause",
                             "/received/offset",
                             "/effective/offset",
                             "/effective/index",
                             "/effective/model_version",
                             "/effective/by",
                             "/offset",
                             "/to",
                             "/before",
                             "/model_version",
                             "/events",
                             "/timestamp",
                             "/received/timestamp",
                             "/effective/timestamp",
                             "/arrival",
                             "/by",
                             "/shift",
                             "/expired/before"}) {
    const auto text = [member](const dom::element& object) {
      dom::element value;
      if (object.at_pointer(member).get(value) != simdjson::SUCCESS) return std::string("nothing");
      return std::string(simdjson::minify(value));
    };
    if (text(ours) != text(theirs)) {
      return std::string(member + 1) + " is " + text(theirs) + " there and " + text(ours) +
             " in the replay";
    }
  }
  return {};
}

constexpr char kRemedy[] =
    ". Give the replay the stream and the configuration that these receipts were written with";

}  // namespace

Result<std::unique_ptr<RecordedChain>> RecordedChain::Read(const std::string& path,
                                                           const std::string& config_sha256,
                                                           const Hasher& hasher) {
  const auto book = ReadReceipts(path, hasher);
  if (!book.ok()) return book.status();
  return From(book.value().entries, path, config_sha256);
}

Result<std::unique_ptr<RecordedChain>> RecordedChain::From(const std::vector<ChainEntry>& entries,
                                                           const std::string& path,
                                                           const std::string& config_sha256) {
  std::unique_ptr<RecordedChain> recorded(new RecordedChain(path));
  std::map<ShardId, std::vector<const ChainEntry*>> chains;
  for (const ChainEntry& entry : entries) {
    const ShardId shard{entry.shard};
    Chain& chain = recorded->ChainOf(shard);
    if (chain.state.empty()) chain.state = entry.state;
    if (chain.state != entry.state) {
      return Bad(ErrorCode::kInput, entry.place,
                 "is of state " + entry.state + ", and entries before it are of state " +
                     chain.state + "; a replay has one chain for each shard");
    }
    chains[shard].push_back(&entry);
  }
  dom::parser parser;
  for (const auto& [shard, of_shard] : chains) {
    auto ordered = InOrder(of_shard);
    if (!ordered.ok()) return ordered.status();
    Chain& chain = recorded->ChainOf(shard);
    DecisionReader reader(chain.decisions);
    for (const ChainEntry* entry : ordered.value()) {
      dom::element object;
      if (parser.parse(simdjson::padded_string(entry->bytes)).get(object) != simdjson::SUCCESS) {
        return Bad(ErrorCode::kInput, entry->place, "is not JSON");
      }
      if (entry->is_receipt() && TextAt(object, "/config") != config_sha256) {
        return Bad(ErrorCode::kInput, entry->place,
                   "was written with another configuration (config " + TextAt(object, "/config") +
                       "; the replay has " + config_sha256 + ")");
      }
      reader.Add(*entry, object);
      chain.entries.push_back({entry->place, entry->bytes});
    }
  }
  return recorded;
}

Result<RecordedDecisions*> RecordedChain::Of(ShardId shard, const std::string& state,
                                             bool is_seeded) {
  Chain& chain = ChainOf(shard);
  chain.is_same_state = chain.state == state;
  if (is_seeded && !chain.entries.empty() && !chain.is_same_state) {
    return Bad(
        ErrorCode::kInput, chain.entries.front().place,
        "is of state " + chain.state + ", and the seed of this configuration gives state " + state);
  }
  return &chain.decisions;
}

Status RecordedChain::Compare(ShardId shard, std::string_view bytes) {
  Chain& chain = ChainOf(shard);
  if (chain.compared == chain.entries.size()) {
    return Bad(ErrorCode::kInput, path_,
               "has no entry for this one of the replay: " + std::string(bytes) + kRemedy);
  }
  const Entry& entry = chain.entries[chain.compared++];
  if (entry.bytes == bytes) return Status::Ok();
  dom::parser parser, other;
  dom::element ours, theirs;
  if (parser.parse(simdjson::padded_string(bytes)).get(ours) != simdjson::SUCCESS ||
      other.parse(simdjson::padded_string(entry.bytes)).get(theirs) != simdjson::SUCCESS) {
    return Bad(ErrorCode::kInput, entry.place, "is not JSON");
  }
  const std::string status = TextAt(theirs, "/status");
  std::string difference = Difference(ours, theirs);
  if (difference.empty() && chain.is_same_state) difference = "its bytes are others in the replay";
  if (difference.empty()) return Status::Ok();
  if (status == "gap" || status == "begun" || status == "key") {
    return Bad(ErrorCode::kInput, entry.place,
               "is a notice (\"" + status + "\") that no replay of one stream can write");
  }
  return Bad(ErrorCode::kInput, entry.place, difference + kRemedy);
}

Status RecordedChain::CheckEnd() const {
  for (const auto& [shard, chain] : chains_) {
    if (chain.compared == chain.entries.size()) continue;
    return Bad(ErrorCode::kInput, chain.entries[chain.compared].place,
               "the stream has ended before this entry of shard " + std::to_string(shard.value));
  }
  return Status::Ok();
}

}  // namespace lethe
