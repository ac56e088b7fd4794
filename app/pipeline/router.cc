#include "app/pipeline/router.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "app/log.h"
#include "engine/base/check.h"

namespace lethe {
namespace {

constexpr std::chrono::milliseconds kMoment{1};  // of WaitABit
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// The partitioners that Kafka's producers use: Java's, librdkafka's, and that of Go's sarama.
constexpr const char* kPartitioners[] = {"murmur2", "consistent", "fnv1a"};

bool Contains(const std::vector<ShardId>& shards, ShardId shard) {
  return std::find(shards.begin(), shards.end(), shard) != shards.end();
}

}  // namespace

Router::Mailbox::Mailbox() : next_end(kNever) {}

Router::Router(const Config& config, std::int32_t partitions, RouterPorts ports)
    : partitions_(partitions),
      partitioner_(Partitioner::FromName(config.source.kafka.partitioner).value()),
      counts_holders_(config.spec.forgetting.guarantee == Guarantee::kPerRequest),
      ports_(std::move(ports)) {}

void Router::AddShard(ShardId shard) { mailboxes_[shard]; }

Router::Placement Router::PlacementOf(ShardId shard, std::optional<std::string_view> key) {
  if (is_alone()) return Placement::kRight;
  const auto place = partitioner_.Of(key, partitions_);
  if (!place || *place == shard.value) return Placement::kRight;
  if (!has_misrouted_.exchange(true)) {
    LogWarning(
        "a record is not on the partition that source.kafka.partitioner gives its key; "
        "lethe_misrouted_total counts them, lethe check --online tells which partitioner fits",
        {{"shard", std::to_string(shard.value)}});
  }
  for (const char* name : kPartitioners) {
    const auto other = Partitioner::FromName(name)->Of(key, partitions_);
    if (other && *other == shard.value) return Placement::kOther;
  }
  return Placement::kUnexplained;
}

std::shared_ptr<Router::Question> Router::Ask(ShardId asker, std::vector<RoutedRequest> targets) {
  auto question = std::make_shared<Question>();
  question->asker_ = asker;
  question->findings_.resize(targets.size());
  question->targets_ = std::move(targets);
  Deliver(question);
  return question;
}

// A shard that has read its partition up to its present end has seen every event that was in the
// topic when the request was met. Therefore the ends are asked for before the question goes out,
// and an answer given from that offset on is certain.
void Router::Deliver(const std::shared_ptr<Question>& question) {
  if (question->is_delivered_) return;
  std::vector<ShardId> others;
  for (const auto& [shard, mailbox] : mailboxes_) {
    if (shard != question->asker_) others.push_back(shard);
  }
  if (!others.empty()) {
    const auto ends = ports_.ends(others);
    if (!ends.ok()) return;
    for (std::size_t i = 0; i < others.size(); ++i) question->ends_[others[i]] = ends.value()[i];
  }
  question->is_delivered_ = true;
  question->unheard_ = others.size();
  question->open_ = others.size();
  for (const ShardId shard : others) {
    Mailbox& mailbox = mailboxes_.at(shard);
    const std::lock_guard lock(mailbox.mutex);
    if (mailbox.has_left) {
      HearNothing(*question);
      continue;
    }
    mailbox.questions.push_back(question);
    mailbox.is_asked = true;
  }
  if (wake_) wake_();
}

void Router::WaitABit() {
  if (ports_.give_way) return ports_.give_way();
  std::unique_lock lock(answered_mutex_);
  answered_.wait_for(lock, kMoment);
}

// Every new question gets a first answer at once, so that the asker can go on. If the worker has
// not read far enough, the question is kept in `later` and answered a second time at its offset.
// The asker hears of the second answer only if it changes something.
void Router::Answer(const Shard& shard, Offset reached) {
  Mailbox& mailbox = mailboxes_.at(shard.id());
  std::vector<std::shared_ptr<Question>> questions;
  {
    const std::lock_guard lock(mailbox.mutex);
    questions.swap(mailbox.questions);
    mailbox.is_asked = false;
  }
  for (const auto& question : questions) {
    const std::int64_t end = question->ends_.at(shard.id()).value;
    const bool is_certain = reached.value >= end;
    if (AnswerOne(*question, shard, is_certain, true)) {
      Close(*question);
    } else {
      mailbox.later.emplace(end, question);
    }
    --question->unheard_;
  }
  while (!mailbox.later.empty() && reached.value >= mailbox.later.begin()->first) {
    Question& question = *mailbox.later.begin()->second;
    const std::uint64_t found = question.found();
    AnswerOne(question, shard, true, false);
    Close(question);
    if (question.found() != found) mailboxes_.at(question.asker_).has_answers = true;
    mailbox.later.erase(mailbox.later.begin());
  }
  mailbox.next_end = mailbox.later.empty() ? kNever : mailbox.later.begin()->first;
  answered_.notify_all();
}

bool Router::AnswerOne(Question& question, const Shard& shard, bool is_certain, bool is_first) {
  std::vector<Membership> known;
  for (const RoutedRequest& target : question.targets_) known.push_back(shard.Find(target.request));
  const std::lock_guard lock(question.mutex_);
  bool knows_all = true;
  for (std::size_t i = 0; i < known.size(); ++i) {
    Question::Finding& finding = question.findings_[i];
    if (is_first && known[i] != Membership::kUnknown) ++finding.holders;
    if (Contains(finding.learned, shard.id())) continue;
    const bool is_learned = known[i] == Membership::kLearned;
    if (is_learned) {
      finding.learned.push_back(shard.id());
      ++question.found_;
    } else if (is_certain && known[i] == Membership::kForgotten) {
      finding.forgotten.push_back(shard.id());
    }
    if (is_learned || is_certain) finding.searched.push_back(shard.id());
    knows_all = knows_all && (is_learned || is_certain);
  }
  return knows_all;
}

void Router::Close(Question& question) {
  if (--question.open_ == 0) mailboxes_.at(question.asker_).has_answers = true;
}

void Router::HearNothing(Question& question) {
  {
    const std::lock_guard lock(question.mutex_);
    for (Question::Finding& finding : question.findings_) ++finding.holders;
  }
  --question.unheard_;
}

std::int64_t Router::Holders(const Question& question, std::size_t target) const {
  LETHE_CHECK(question.is_heard());
  const std::lock_guard lock(question.mutex_);
  return question.findings_[target].holders + partitions_ -
         static_cast<std::int64_t>(mailboxes_.size());
}

void Router::Leave(ShardId shard) {
  Mailbox& mailbox = mailboxes_.at(shard);
  std::vector<std::shared_ptr<Question>> questions;
  {
    const std::lock_guard lock(mailbox.mutex);
    questions.swap(mailbox.questions);
    mailbox.has_left = true;
  }
  for (const auto& question : questions) HearNothing(*question);
  answered_.notify_all();
}

// An event has one id, so a request by id ends where it is found. The events of a person may have
// been placed by several partitioners, so each of them is tried. The key of a delete by id need not
// be the key of the event, so it goes to all partitions.
std::vector<ShardId> Router::PlacesOutside(const RoutedRequest& target, bool is_found,
                                           bool is_answered) const {
  std::vector<ShardId> places;
  if (mailboxes_.size() == static_cast<std::size_t>(partitions_)) return places;
  const bool is_delete = !target.request.is_replacement;
  if (target.request.id && (is_found || !is_answered)) return places;
  const bool is_everywhere = is_anywhere_ || !target.name || (target.request.id && is_delete);
  const auto add = [&](std::int32_t partition) {
    const ShardId shard{partition};
    if (!mailboxes_.contains(shard) && !Contains(places, shard)) places.push_back(shard);
  };
  for (const char* name : kPartitioners) {
    if (const auto place = Partitioner::FromName(name)->Of(target.name, partitions_)) add(*place);
  }
  for (std::int32_t p = 0; p < partitions_ && is_everywhere; ++p) add(p);
  return places;
}

LookupResult Router::Result(const Question& question, std::size_t target, bool is_known) const {
  const bool is_answered = question.is_answered();
  const std::lock_guard lock(question.mutex_);
  const Question::Finding& found = question.findings_[target];
  LookupResult elsewhere{.searched = found.searched, .passed_on = found.learned, .pending = {}};
  elsewhere.searched.push_back(question.asker_);
  const bool is_delete = !question.targets_[target].request.is_replacement;
  if (is_delete && !is_known && found.learned.empty()) elsewhere.passed_on = found.forgotten;
  const bool is_found = is_known || !elsewhere.passed_on.empty();
  const auto outside = PlacesOutside(question.targets_[target], is_found, is_answered);
  elsewhere.passed_on.insert(elsewhere.passed_on.end(), outside.begin(), outside.end());
  for (const auto& [shard, mailbox] : mailboxes_) {
    if (!Contains(elsewhere.searched, shard)) elsewhere.pending.push_back(shard);
  }
  std::sort(elsewhere.searched.begin(), elsewhere.searched.end());
  std::sort(elsewhere.passed_on.begin(), elsewhere.passed_on.end());
  return elsewhere;
}

}  // namespace lethe
