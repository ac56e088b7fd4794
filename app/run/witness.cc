#include "app/run/witness.h"

#include <algorithm>
#include <charconv>

#include "app/log.h"
#include "app/run/publisher.h"
#include "connectors/json/envelope.h"
#include "engine/archive.h"

namespace lethe {
namespace {

constexpr std::chrono::milliseconds kTimeout{30'000};
constexpr char kTopicNote[] = "topic";
constexpr char kBeginAnew[] =
    "Begin anew with another state.path (run --begin-anew): learning starts again from the topic, "
    "and its deletions are honoured again";

// Where the state was made.
struct Origin {
  std::string topic;
  std::string cluster_id;
  std::int64_t partitions = 0;

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.topic, self.cluster_id, self.partitions);
  }
};

Status Refuse(ShardId shard, const std::string& what) {
  return {ErrorCode::kInput, "shard " + std::to_string(shard.value) + ": " + what};
}

std::optional<std::string> Header(const FoundMessage& message, std::string_view name) {
  for (const auto& [key, value] : message.headers) {
    if (key == name) return value;
  }
  return std::nullopt;
}

struct PublishedEntry {
  std::string state_id;
  std::uint64_t number = 0;
  std::string bytes;
};

// The latest of the messages that carry our headers.
std::optional<PublishedEntry> Latest(const std::vector<FoundMessage>& messages) {
  std::optional<PublishedEntry> latest;
  TimeMs latest_time;
  for (const FoundMessage& message : messages) {
    const auto state = Header(message, kStateHeader);
    const auto number = Header(message, kEntryHeader);
    PublishedEntry entry;
    if (!state || !number ||
        std::from_chars(number->data(), number->data() + number->size(), entry.number).ec !=
            std::errc()) {
      continue;
    }
    if (latest && message.timestamp < latest_time) continue;
    entry.state_id = *state;
    entry.bytes = WithoutEnvelope(message.value.value_or(""));
    latest = std::move(entry);
    latest_time = message.timestamp;
  }
  return latest;
}

}  // namespace

Result<std::uint64_t> Witness::Confirm(const ShardIdentity& identity, DurableState& state,
                                       Shard& shard) {
  const bool is_new = state.commits() == 0;
  LETHE_RETURN_IF_ERROR(CheckTopic(state, identity.shard, is_new));
  LETHE_RETURN_IF_ERROR(CheckOffset(shard, is_new));
  if (!is_new) LETHE_RETURN_IF_ERROR(CheckLastRecord(shard));
  return CheckPublished(identity, state, shard, is_new);
}

Status Witness::CheckTopic(DurableState& state, ShardId shard, bool is_new) {
  const Origin here{config_.spec.topic, cluster_id_, partitions_};
  if (is_new) {
    SavingArchive archive;
    archive(here);
    state.SetNote(kTopicNote, archive.Take());
    return Status::Ok();
  }
  const auto note = state.Note(kTopicNote);
  if (!note.ok()) return note.status();
  Origin there;
  LoadingArchive archive(note.value() ? *note.value() : std::string_view());
  archive(there);
  if (!archive.complete()) return Refuse(shard, "the state does not say where it was made");
  if (there.topic != here.topic) {
    return Refuse(shard, "the state was learned from topic " + there.topic +
                             ", the configuration says " + here.topic +
                             ". Go back to that topic, or use another state.path");
  }
  if (there.cluster_id != here.cluster_id) {
    return Refuse(shard, "the state was learned from Kafka cluster " + there.cluster_id +
                             ", this is cluster " + here.cluster_id + ". Connect to the old one. " +
                             kBeginAnew);
  }
  if (there.partitions != here.partitions) {
    return Refuse(shard, "topic " + here.topic + " has " + std::to_string(here.partitions) +
                             " partitions, and had " + std::to_string(there.partitions) +
                             " when the state was made. Keys have moved, so a deletion would not "
                             "reach the shard that learned the event. " +
                             kBeginAnew);
  }
  return Status::Ok();
}

Status Witness::CheckOffset(Shard& shard, bool is_new) {
  const auto range =
      cluster_.Range(config_.spec.topic, static_cast<std::int32_t>(shard.id().value), kTimeout);
  if (!range.ok()) return range.status();
  const auto [first, next] = range.value();
  if (is_new) shard.GoOnFrom(config_.source.start == Start::kEarliest ? first : next);
  backlog_ = next.value - std::max(first, shard.next()).value;
  if (is_new) return Status::Ok();
  if (shard.next() > next) {
    return Refuse(shard.id(), "the state has read up to offset " +
                                  std::to_string(shard.next().value) + ", the topic ends at " +
                                  std::to_string(next.value) + ": it was truncated or made anew. " +
                                  kBeginAnew);
  }
  if (shard.next() >= first) return Status::Ok();
  const std::string gap = "records " + std::to_string(shard.next().value) + " to " +
                          std::to_string(first.value - 1) +
                          " were removed from the topic before they were read; deletion requests "
                          "may be among them";
  if (!options_.accept_gap) {
    return Refuse(shard.id(), gap +
                                  ". run --accept-gap goes on behind them and says so in the "
                                  "chain of receipts");
  }
  LogWarning(gap + "; going on behind them", {{"shard", std::to_string(shard.id().value)}});
  shard.GoOnFrom(first);
  return Status::Ok();
}

// A topic that was deleted and made again has other records at the same offsets.
Status Witness::CheckLastRecord(const Shard& shard) {
  if (shard.counters().records == 0) return Status::Ok();
  const Offset last{shard.next().value - 1};
  const auto found =
      cluster_.At(config_.spec.topic, static_cast<std::int32_t>(shard.id().value), last, kTimeout);
  if (!found.ok()) return found.status();
  if (!found.value() || found.value()->timestamp == shard.last_time()) return Status::Ok();
  return Refuse(shard.id(), "the record at offset " + std::to_string(last.value) +
                                " is not the one that was read: the topic was made anew. " +
                                kBeginAnew);
}

Result<std::uint64_t> Witness::CheckPublished(const ShardIdentity& identity,
                                              const DurableState& state, Shard& shard,
                                              bool is_new) {
  if (!config_.publish.receipts_topic) return std::uint64_t{0};
  const std::string& topic = *config_.publish.receipts_topic;
  const auto found =
      cluster_.LastWithKey(topic, ShardKey(config_.spec.topic, identity.shard), kTimeout);
  if (!found.ok()) return found.status();
  const auto published = Latest(found.value());
  if (!published) return std::uint64_t{0};
  const std::string what =
      "topic " + topic + " has entries of this shard by another state, " + published->state_id;
  if (is_new) {
    if (!options_.begin_anew) {
      return Refuse(identity.shard,
                    what +
                        ". If it is still running, this one must not. If it is lost, run "
                        "--begin-anew: learning starts again from the topic, its deletions are "
                        "honoured again, and the new chain says so");
    }
    LogWarning(what + "; beginning anew", {{"shard", std::to_string(identity.shard.value)}});
    shard.BeginAfter(published->state_id);
    return std::uint64_t{0};
  }
  if (published->state_id != ToText(identity.state)) {
    return Refuse(identity.shard, what +
                                      ": it has a second owner, or this state is an old one. "
                                      "Stop here and find out which of the two is to go on");
  }
  if (published->number >= state.chain_entries()) {
    return Refuse(identity.shard,
                  "entry " + std::to_string(published->number) + " of its chain is published in " +
                      topic + ", the state has " + std::to_string(state.chain_entries()) +
                      ": it is an old copy. Going on would draw noise a second time. Bring back "
                      "the newest state. If it is lost: " +
                      kBeginAnew);
  }
  Status same;
  LETHE_RETURN_IF_ERROR(state.ReadChain(
      published->number, [&](std::uint64_t number, ChainKind, std::string_view bytes) -> Status {
        if (number != published->number) return Status::Ok();
        if (bytes != published->bytes) {
          same = Refuse(identity.shard, "entry " + std::to_string(number) +
                                            " of its chain is published in " + topic +
                                            " with other content. " + kBeginAnew);
        }
        return Status::Ok();
      }));
  LETHE_RETURN_IF_ERROR(same);
  return published->number + 1;
}

}  // namespace lethe
