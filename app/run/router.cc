#include "app/run/router.h"

#include <algorithm>
#include <utility>

#include "app/log.h"
#include "engine/check.h"

namespace lethe {
namespace {

constexpr std::chrono::milliseconds kQuestion{5'000};  // to a broker
constexpr std::chrono::milliseconds kMoment{1};

// Every way to place keys that producers are known to use.
constexpr const char* kPartitioners[] = {"murmur2", "consistent", "fnv1a"};

}  // namespace

Router::Router(const Config& config, std::int32_t partitions, KafkaCluster& cluster,
               Publisher& publisher)
    : topic_(config.spec.topic),
      partitions_(partitions),
      partitioner_(Partitioner::FromName(config.source.kafka.partitioner).value()),
      counts_holders_(config.spec.forgetting.guarantee == Guarantee::kPerRequest),
      cluster_(cluster),
      publisher_(publisher) {}

void Router::AddShard(ShardId shard) { mailboxes_[shard]; }

bool Router::IsMisrouted(ShardId shard, std::optional<std::string_view> key) {
  if (is_alone()) return false;
  const auto place = partitioner_.Of(key, partitions_);
  if (!place || *place == shard.value) return false;
  if (!has_misrouted_.exchange(true)) {
    LogWarning(
        "a record is not on the partition that source.kafka.partitioner gives its key; "
        "lethe_misrouted_total counts them, lethe check --online tells which partitioner fits",
        {{"shard", std::to_string(shard.value)}});
  }
  return true;
}

std::shared_ptr<Router::Question> Router::Ask(ShardId asker, std::vector<Target> targets) {
  auto question = std::make_shared<Question>();
  question->findings_.resize(targets.size());
  question->targets_ = std::move(targets);
  bool must_be_certain = false;
  for (const Target& target : question->targets_) {
    must_be_certain |= target.is_unknown || (has_misrouted_ && target.request.subject);
  }
  if (must_be_certain) {
    for (const auto& [shard, mailbox] : mailboxes_) {
      if (shard == asker) continue;
      const auto range = cluster_.Range(topic_, static_cast<std::int32_t>(shard.value), kQuestion);
      if (range.ok()) question->ends_[shard] = range.value().next;
    }
  }
  question->open_ = mailboxes_.size() - 1;
  for (auto& [shard, mailbox] : mailboxes_) {
    if (shard == asker) continue;
    std::unique_lock lock(mailbox.mutex);
    if (mailbox.has_left) {
      lock.unlock();
      Settle(*question, shard, std::vector<Reply>(question->targets_.size()));
      continue;
    }
    mailbox.questions.push_back(question);
    mailbox.is_asked = true;
  }
  if (wake_) wake_();
  return question;
}

void Router::WaitABit() {
  std::unique_lock lock(answered_mutex_);
  answered_.wait_for(lock, kMoment);
}

void Router::Answer(const Shard& shard) {
  Mailbox& mailbox = mailboxes_.at(shard.id());
  std::vector<std::shared_ptr<Question>> questions;
  {
    const std::lock_guard lock(mailbox.mutex);
    questions.swap(mailbox.questions);
    mailbox.is_asked = false;
  }
  for (const auto& question : questions) {
    const auto end = question->ends_.find(shard.id());
    const bool is_certain = end != question->ends_.end() && shard.next() >= end->second;
    std::vector<Reply> replies;
    for (const Target& target : question->targets_) {
      const Membership membership = shard.Find(target.request);
      replies.push_back({.finding = membership == Membership::kLearned     ? Finding::kLearned
                                    : !is_certain                          ? Finding::kUncertain
                                    : membership == Membership::kForgotten ? Finding::kForgotten
                                                                           : Finding::kNo,
                         .may_hold = membership != Membership::kUnknown});
    }
    Settle(*question, shard.id(), replies);
  }
}

void Router::Leave(ShardId shard) {
  Mailbox& mailbox = mailboxes_.at(shard);
  std::vector<std::shared_ptr<Question>> questions;
  {
    const std::lock_guard lock(mailbox.mutex);
    questions.swap(mailbox.questions);
    mailbox.has_left = true;
  }
  for (const auto& question : questions) {
    Settle(*question, shard, std::vector<Reply>(question->targets_.size()));
  }
}

void Router::Settle(Question& question, ShardId shard, const std::vector<Reply>& replies) {
  {
    const std::lock_guard lock(question.mutex_);
    for (std::size_t i = 0; i < replies.size(); ++i) {
      Question::Finding& found = question.findings_[i];
      const Finding finding = replies[i].finding;
      if (finding == Finding::kLearned) {
        found.learned.push_back(shard);
      } else if (finding != Finding::kNo) {
        found.may_concern.push_back(shard);
      }
      if (finding != Finding::kUncertain) found.searched.push_back(shard);
      found.holders += replies[i].may_hold ? 1 : 0;
    }
  }
  --question.open_;
  answered_.notify_all();
}

// Shards of other processes cannot be asked. The key says where they would be, under each rule.
std::vector<ShardId> Router::PlacesOutside(const Target& target) const {
  std::vector<ShardId> places;
  for (const char* name : kPartitioners) {
    const auto place = Partitioner::FromName(name)->Of(target.key, partitions_);
    if (!place || mailboxes_.contains(ShardId{*place})) continue;
    if (std::find(places.begin(), places.end(), ShardId{*place}) == places.end()) {
      places.push_back(ShardId{*place});
    }
  }
  return places;
}

std::int64_t Router::Holders(const Question& question, std::size_t target) const {
  LETHE_CHECK(question.is_answered());
  return question.findings_[target].holders + partitions_ -
         static_cast<std::int64_t>(mailboxes_.size());
}

Elsewhere Router::Result(ShardId asker, const Question& question, std::size_t target,
                         bool is_known) {
  LETHE_CHECK(question.is_answered());
  const Question::Finding& found = question.findings_[target];
  const Target& asked = question.targets_[target];
  Elsewhere elsewhere{found.searched, found.learned};
  elsewhere.searched.push_back(asker);
  if (!is_known || (has_misrouted_ && asked.request.subject)) {
    const auto add = [&](const std::vector<ShardId>& shards) {
      elsewhere.passed_on.insert(elsewhere.passed_on.end(), shards.begin(), shards.end());
    };
    add(found.may_concern);
    add(PlacesOutside(asked));
  }
  std::sort(elsewhere.searched.begin(), elsewhere.searched.end());
  std::sort(elsewhere.passed_on.begin(), elsewhere.passed_on.end());
  return elsewhere;
}

Status Router::PassOn(const Target& target, const std::vector<ShardId>& shards) {
  for (const ShardId shard : shards) {
    LETHE_RETURN_IF_ERROR(publisher_.PassOn(shard, target.key, target.request));
  }
  return Status::Ok();
}

}  // namespace lethe
