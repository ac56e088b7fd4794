#include "app/run/startup_fence.h"

#include <algorithm>
#include <charconv>

#include "app/log.h"
#include "app/run/publisher.h"
#include "app/run/refusals.h"
#include "connectors/json/envelope.h"
#include "connectors/record_limits.h"
#include "engine/base/archive.h"

namespace lethe {
namespace {

constexpr std::chrono::milliseconds kTimeout{30'000};
constexpr char kTopicNote[] = "topic";
constexpr char kKnownRecordNote[] = "known-record";

// The topic that a state was made from.
struct Origin {
  std::string topic;
  std::string cluster_id;
  std::int64_t partitions = 0;

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.topic, self.cluster_id, self.partitions);
  }
};

struct KnownRecord {
  std::int64_t offset = 0;
  std::int64_t time = 0;

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.offset, self.time);
  }
};

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

// The latest of the messages that are entries of a chain. `messages` has the last message of each
// partition with the key of the shard, so the timestamps decide between partitions.
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

void NoteKnownRecord(DurableState& state, const Shard& shard) {
  SavingArchive archive;
  archive(KnownRecord{shard.next().value - 1, shard.last_time().value});
  state.SetNote(kKnownRecordNote, archive.Take());
}

bool IsTime(const FoundMessage& message, TimeMs read) {
  const bool is_possible = message.timestamp.value <= kMaxTimeMs;
  return (is_possible ? message.timestamp : kNoTime) == read;
}

// The comparisons come first and the claim comes last: a claim ends the process that had the shard,
// so it must not be made by a state that is then refused.
Result<std::uint64_t> StartupFence::Confirm(const ShardIdentity& identity, DurableState& state,
                                            Shard& shard) {
  const bool is_new = state.commits() == 0;
  LETHE_RETURN_IF_ERROR(CheckOffset(shard, is_new));
  if (!is_new && shard.counters().records > 0) {
    const Offset last{shard.next().value - 1};
    LETHE_RETURN_IF_ERROR(CheckRecord(identity.shard, last, shard.last_time()));
    LETHE_RETURN_IF_ERROR(CheckKnownRecord(state, identity.shard));
  }
  auto published = CheckPublished(identity, state, is_new);
  if (!published.ok()) return published.status();
  if (!is_new) LETHE_RETURN_IF_ERROR(CheckReleased(identity, shard));
  std::optional<std::string> others = published.value().others;
  if (ownership_ != nullptr) {
    const auto taken_from = ownership_->Claim(identity, {is_new, options_.begin_anew});
    if (!taken_from.ok()) return taken_from.status();
    if (!others) others = taken_from.value();
  }
  if (others) {
    LogWarning("this shard was another state's, " + *others + "; beginning anew",
               {{"shard", std::to_string(identity.shard.value)}});
    shard.BeginAfter(*others);
  }
  return published.value().first_missing;
}

Status StartupFence::CheckTopic(DurableState& state, ShardId shard) {
  const Origin here{config_.spec.topic, cluster_id_, partitions_};
  if (state.commits() == 0) {
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
    return RefusePartitions(shard, here.topic, here.partitions, there.partitions);
  }
  return Status::Ok();
}

Status StartupFence::CheckOffset(Shard& shard, bool is_new) {
  const auto range =
      cluster_.Range(config_.spec.topic, static_cast<std::int32_t>(shard.id().value), kTimeout);
  if (!range.ok()) return range.status();
  const auto [first, next] = range.value();
  if (is_new) shard.GoOnFrom(config_.source.start == Start::kEarliest ? first : next);
  backlog_ = next.value - std::max(first, shard.next()).value;
  if (is_new) return Status::Ok();
  if (shard.next() > next) {
    return RefuseCutTopic(shard.id(), shard.next(), next);
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

// A topic that was deleted and created again has other records at the same offsets, and hardly one
// of them has the same timestamp. A record that Kafka has removed tells nothing.
Status StartupFence::CheckRecord(ShardId shard, Offset offset, TimeMs time) {
  const auto found =
      cluster_.At(config_.spec.topic, static_cast<std::int32_t>(shard.value), offset, kTimeout);
  if (!found.ok()) return found.status();
  if (!found.value() || IsTime(*found.value(), time)) return Status::Ok();
  return RefuseNewTopic(shard, offset);
}

Status StartupFence::CheckKnownRecord(const DurableState& state, ShardId shard) {
  const auto note = state.Note(kKnownRecordNote);
  if (!note.ok()) return note.status();
  if (!note.value()) return Status::Ok();
  KnownRecord known;
  LoadingArchive archive(*note.value());
  archive(known);
  if (!archive.complete()) return Refuse(shard, "the state does not say what it has read");
  return CheckRecord(shard, Offset{known.offset}, TimeMs{known.time});
}

// Where learning draws at random, an old copy would draw again for versions that were released. The
// chain cannot show that, because learning adds no entry to it. The mark can.
Status StartupFence::CheckReleased(const ShardIdentity& identity, const Shard& shard) {
  const auto topic = MarksTopic(config_);
  if (!topic || !shard.draws_while_learning()) return Status::Ok();
  const std::string key = MarkKey(config_.spec.topic, identity.shard, ToText(identity.state));
  const auto found = cluster_.LastWithKey(*topic, key, kTimeout);
  if (!found.ok()) return found.status();
  ModelVersion released{-1};
  for (const FoundMessage& message : found.value()) {
    const std::string text = Header(message, kVersionHeader).value_or("");
    ModelVersion version{-1};
    std::from_chars(text.data(), text.data() + text.size(), version.value);
    released = std::max(released, version);
  }
  if (released <= shard.model_version()) return Status::Ok();
  return Refuse(identity.shard,
                "version " + std::to_string(released.value) +
                    " of its model was released, as topic " + *topic + " says, and the state is " +
                    "at version " + std::to_string(shard.model_version().value) +
                    ": it is an old copy. Going on would draw again at random for versions that "
                    "were released. Bring back the newest state. If it is lost: " +
                    kBeginAnew);
}

// The last entry of the shard in the receipts topic must be in the chain of the state, byte for
// byte. If the topic has more entries than the state, the state is an old copy. If it has another
// entry with that number, the state is a copy that went another way.
Result<StartupFence::Published> StartupFence::CheckPublished(const ShardIdentity& identity,
                                                             const DurableState& state,
                                                             bool is_new) {
  if (!config_.publish.receipts_topic) return Published{};
  const std::string& topic = *config_.publish.receipts_topic;
  const auto found =
      cluster_.LastWithKey(topic, ShardKey(config_.spec.topic, identity.shard), kTimeout);
  if (!found.ok()) return found.status();
  const auto published = Latest(found.value());
  if (!published) return Published{};
  if (is_new && options_.begin_anew) return Published{.others = published->state_id};
  if (is_new || published->state_id != ToText(identity.state)) {
    return RefuseSecondOwner(
        identity.shard,
        "topic " + topic + " has entries of this shard by another state, " + published->state_id,
        is_new);
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
  return Published{.first_missing = published->number + 1};
}

}  // namespace lethe
