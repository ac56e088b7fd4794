#include "app/run/ownership.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "app/run/publisher.h"
#include "app/run/refusals.h"
#include "engine/base/json.h"
#include "engine/shard/receipt.h"

namespace lethe {
namespace {

constexpr std::chrono::milliseconds kSearch{30'000};
constexpr std::chrono::milliseconds kQuestion{5'000};
constexpr char kInstanceHeader[] = "lethe.instance";
constexpr char kSeenHeader[] = "lethe.seen";
constexpr std::int64_t kMessagesPerCall = 20'000;
constexpr std::int64_t kMessagesPerRefresh = 10'000;

std::string OwnerKey(const std::string& source, ShardId shard) {
  return kOwnerPrefix + ShardKey(source, shard);
}

// An error of the cluster as one after which the caller asks again.
Status Later(const Status& status) { return {ErrorCode::kUnavailable, status.message()}; }

}  // namespace

std::optional<Ownership::OwnerRecord> Ownership::Read(const FoundMessage& message) {
  OwnerRecord record{message.offset, Offset{-1}, {}, {}};
  for (const auto& [name, value] : message.headers) {
    if (name == kStateHeader) record.state = value;
    if (name == kInstanceHeader) record.instance = value;
    if (name == kSeenHeader) {
      std::from_chars(value.data(), value.data() + value.size(), record.seen.value);
    }
  }
  if (record.seen.value < 0 || record.state.empty() || record.instance.empty()) return std::nullopt;
  return record;
}

Result<std::vector<Ownership::OwnerRecord>> Ownership::Others(const std::string& key,
                                                              OffsetRange range) {
  std::vector<OwnerRecord> others;
  const auto there = cluster_.Range(topic_, 0, kQuestion);
  if (!there.ok()) return there.status();
  range.first = std::max(range.first, there.value().first);
  const Status status =
      cluster_.ForEach(topic_, 0, range, kQuestion, [&](const FoundMessage& message) {
        if (message.key != key) return true;
        const auto record = Read(message);
        if (record && record->instance != instance_) others.push_back(*record);
        return true;
      });
  if (!status.ok()) return Later(status);
  return others;
}

// The last owner record counts, unless its process had not seen an earlier claim of another
// process: then that process had to end, and the earlier claim counts, by the same rule.
Result<std::optional<Ownership::OwnerRecord>> Ownership::Current(const std::string& key) {
  const auto found = cluster_.LastWithKey(topic_, key, kSearch);
  if (!found.ok()) return found.status();
  std::optional<OwnerRecord> owner;
  for (const FoundMessage& message : found.value()) {
    if (message.partition == 0) owner = Read(message);
  }
  while (owner) {
    const auto unseen = Others(key, {owner->seen, owner->at});
    if (!unseen.ok()) return unseen.status();
    const auto before =
        std::find_if(unseen.value().rbegin(), unseen.value().rend(),
                     [&](const OwnerRecord& other) { return other.instance != owner->instance; });
    if (before == unseen.value().rend()) break;
    owner = *before;
  }
  return owner;
}

Result<Offset> Ownership::Send(const ShardIdentity& identity, Offset seen) {
  struct Answer {
    std::mutex mutex;
    std::condition_variable came;
    bool is_there = false;
    Status status;
    Offset offset;
  };
  const std::string state = ToText(identity.state);
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.owner/1").Field("state", state);
  json.Field("shard", identity.shard.value).Field("instance", instance_).EndObject();
  const auto answer = std::make_shared<Answer>();  // shared: it may come after the time is over
  LETHE_RETURN_IF_ERROR(producer_.SendTracked(
      {.topic = topic_,
       .partition = 0,
       .key = OwnerKey(source_, identity.shard),
       .value = json.text(),
       .headers = {{kKindHeader, "owner"},
                   {kStateHeader, state},
                   {kInstanceHeader, instance_},
                   {kSeenHeader, std::to_string(seen.value)}}},
      [answer](const Status& status, std::int32_t, Offset offset) {
        {
          const std::lock_guard lock(answer->mutex);
          answer->is_there = true;
          answer->status = status;
          answer->offset = offset;
        }
        answer->came.notify_all();
      },
      kQuestion));
  std::unique_lock lock(answer->mutex);
  if (!answer->came.wait_for(lock, kQuestion, [&] { return answer->is_there; })) {
    return Status(ErrorCode::kUnavailable,
                  "no broker has taken the owner record for topic " + topic_ + " in time");
  }
  if (!answer->status.ok()) return answer->status;
  return answer->offset;
}

// The end of the partition is read before the search for the owner. So every claim before `seen` is
// found by the search, and every claim between `seen` and ours is found after ours was written. In
// the second case ours is the later of two simultaneous claims, and this process gives way.
Result<std::optional<std::string>> Ownership::Claim(const ShardIdentity& identity, Rights rights) {
  const std::string key = OwnerKey(source_, identity.shard);
  const auto before = cluster_.Range(topic_, 0, kQuestion);
  if (!before.ok()) return before.status();
  const auto owner = Current(key);
  if (!owner.ok()) return owner.status();
  const bool is_foreign = owner.value() && owner.value()->state != ToText(identity.state);
  if (is_foreign && !(rights.is_new && rights.begin_anew)) {
    return RefuseSecondOwner(identity.shard,
                             "topic " + topic_ +
                                 " has an owner record of this shard by another state, " +
                                 owner.value()->state,
                             rights.is_new);
  }
  // The first claim of a process would wait for the producer to learn about the topic.
  if (mine_.empty()) producer_.FindLeaders(topic_, kQuestion);
  const Offset seen = before.value().next;
  const auto at = Send(identity, seen);
  if (!at.ok()) return at.status();
  const auto unseen = Others(key, {seen, at.value()});
  if (!unseen.ok()) return unseen.status();
  if (!unseen.value().empty()) {
    return Refuse(identity.shard,
                  "another process began to work on this shard at the same moment, with state " +
                      unseen.value().back().state + ", and was first. This one must not");
  }
  mine_[key] = {identity, at.value(), at.value()};
  if (next_.value < 0) next_ = {at.value().value + 1};
  return is_foreign ? std::optional(owner.value()->state) : std::nullopt;
}

// A claim of another process ends this one if that process had seen our claim (`seen` is behind
// it). A claim that had not seen ours gives way by itself. Refresh moves our claim to the end of
// the topic; claims between the old and the new place are judged by the old one.
Status Ownership::Follow(const std::function<bool()>& stop) {
  const auto range = cluster_.Range(topic_, 0, kQuestion);
  if (!range.ok()) return Later(range.status());
  if (range.value().next < next_) {
    return Refuse(mine_.begin()->second.identity.shard,
                  "topic " + topic_ + " ends at " + std::to_string(range.value().next.value) +
                      ", and had " + std::to_string(next_.value) +
                      " messages: it was truncated or made anew, and nobody else can tell that "
                      "this process works on the shard. Start again: everything is published anew");
  }
  Status fenced;
  std::int64_t left = kMessagesPerCall;
  const Status status = cluster_.ForEach(
      topic_, 0, {std::max(next_, range.value().first), range.value().next}, kQuestion,
      [&](const FoundMessage& message) {
        next_ = {message.offset.value + 1};
        const auto mine = message.key ? mine_.find(*message.key) : mine_.end();
        if (mine != mine_.end()) {
          const auto record = Read(message);
          const Mine& ours = mine->second;
          const Offset before = ours.at < message.offset ? ours.at : ours.previous;
          if (record && record->instance != instance_ && record->seen > before &&
              message.offset > before) {
            fenced = RefuseSecondOwner(
                ours.identity.shard,
                "another process has taken over this shard, with state " + record->state, false);
          }
        }
        return fenced.ok() && --left > 0 && !stop();
      });
  LETHE_RETURN_IF_ERROR(fenced);
  return status.ok() ? Refresh() : Later(status);
}

Status Ownership::Refresh() {
  for (auto& [key, mine] : mine_) {
    if (next_.value - mine.at.value < kMessagesPerRefresh) continue;
    const auto at = Send(mine.identity, next_);
    if (!at.ok()) return Later(at.status());
    mine.previous = mine.at;
    mine.at = at.value();
  }
  return Status::Ok();
}

}  // namespace lethe
