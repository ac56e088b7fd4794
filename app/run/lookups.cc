#include "app/run/lookups.h"

#include <algorithm>
#include <utility>

#include "app/log.h"

namespace lethe {
namespace {

constexpr std::chrono::milliseconds kShortTime{50};
// Above this many open requests the oldest are passed on to the shards that have not answered.
constexpr std::size_t kMaxOpen = 50'000;

}  // namespace

Result<Offset> Lookups::Resume(Offset first_open) {
  if (first_open >= shard_.next()) return shard_.next();
  const auto range = router_.ports().range(shard_.id());
  if (!range.ok()) return range.status();
  if (range.value().first > first_open) {
    LogWarning(
        "requests that were still looked for in other shards are gone from the topic; ask for them "
        "again",
        {{"shard", std::to_string(shard_.id().value)}});
  }
  again_from_ = std::min(std::max(first_open, range.value().first), shard_.next());
  again_until_ = shard_.next();
  return *again_from_;
}

void Lookups::Begin(const RecordBatch& batch) {
  question_.reset();
  records_.clear();
  at_ = 0;
  if (router_.is_alone()) return;
  std::vector<RoutedRequest> targets;
  for (std::size_t i = 0; i < batch.count(); ++i) {
    const Record& record = batch.record(i);
    const EventKind kind = record.event.kind;
    if (record.rejection || kind == EventKind::kLearn) continue;
    if (record.is_placed && !CountsHoldersOf(record)) continue;
    const bool is_update = kind == EventKind::kUpdate;
    // What an update replaces is in one place: here, or elsewhere.
    if (is_update && shard_.Find(record.event) == Membership::kLearned) continue;
    RoutedRequest target;
    target.request.kind = kind;
    target.request.id = record.event.id;
    target.request.request = record.event.request;
    if (!is_update) target.request.subject = record.event.subject;
    target.name = record.event.subject;
    if (const auto key = batch.key(i); key && !target.name) target.name = std::string(*key);
    targets.push_back(std::move(target));
    records_.push_back(i);
  }
  if (targets.empty()) return;
  question_ = router_.Ask(shard_.id(), std::move(targets));
  patience_ = std::chrono::steady_clock::now() + kShortTime;
}

bool Lookups::Open(const Record& record, std::size_t i) {
  if (at_ == records_.size() || records_[at_] != i) return false;
  if (record.is_placed) {  // the shard that sent it has looked everywhere
    ++at_;
    return false;
  }
  open_.push_back({.question = question_,
                   .target = at_++,
                   .offset = record.offset,
                   .is_known = shard_.Find(record.event) != Membership::kUnknown,
                   .sent = {},
                   .seen = {}});
  return true;
}

Status Lookups::Before(const Record& record, std::size_t i, std::optional<Elsewhere>& elsewhere) {
  elsewhere.reset();
  const bool is_target = at_ < records_.size() && records_[at_] == i;
  if (is_target && CountsHoldersOf(record) && shard_.Find(record.event) == Membership::kLearned) {
    LETHE_RETURN_IF_ERROR(AwaitHeard(question_));
    elsewhere.emplace().holders = router_.Holders(*question_, at_);
  }
  if (!Open(record, i) || record.event.kind != EventKind::kDelete) return Status::Ok();
  if (shard_.Find(record.event) == Membership::kLearned) return Status::Ok();
  OpenRequest& request = open_.back();
  LETHE_RETURN_IF_ERROR(AwaitHeard(request.question));
  AwaitAnswers(*request.question);
  elsewhere = router_.Result(*request.question, request.target, request.is_known);
  return PassOn(request, elsewhere->passed_on);
}

void Lookups::SetReached(Offset reached) {
  reached_ = reached;
  if (again_from_ && reached >= again_until_) again_from_.reset();
}

Result<bool> Lookups::Settle() {
  router_.TakeAnswers(shard_.id());
  std::deque<OpenRequest> open;
  open.swap(open_);
  for (std::size_t i = 0; i < open.size(); ++i) {
    OpenRequest& request = open[i];
    LETHE_RETURN_IF_ERROR(AwaitHeard(request.question));
    const bool is_answered = request.question->is_answered();
    const std::uint64_t found = request.question->found();
    if (!is_answered && request.seen == found && open.size() - i <= kMaxOpen) {
      open_.push_back(std::move(request));
      continue;
    }
    request.seen = found;
    const Elsewhere elsewhere = router_.Result(*request.question, request.target, request.is_known);
    LETHE_RETURN_IF_ERROR(PassOn(request, elsewhere.passed_on));
    if (is_answered) continue;
    if (open.size() - i > kMaxOpen) {
      LETHE_RETURN_IF_ERROR(PassOn(request, elsewhere.pending));
    } else {
      open_.push_back(std::move(request));
    }
  }
  return std::exchange(has_passed_on_, false);
}

std::optional<Offset> Lookups::first_open() const {
  if (again_from_) return again_from_;
  if (open_.empty()) return std::nullopt;
  return open_.front().offset;
}

Status Lookups::AwaitHeard(const std::shared_ptr<Router::Question>& question) {
  while (!question->is_heard()) {
    router_.Deliver(question);
    Serve();
    if (question->is_heard()) break;
    if (router_.ports().is_stopping() && !question->is_delivered()) {
      return {ErrorCode::kInterrupted, "stopped while the brokers were away"};
    }
    router_.WaitABit();
  }
  return Status::Ok();
}

void Lookups::AwaitAnswers(const Router::Question& question) {
  while (!question.is_answered() && std::chrono::steady_clock::now() < patience_) {
    Serve();
    router_.WaitABit();
  }
}

Status Lookups::PassOn(OpenRequest& request, const std::vector<ShardId>& shards) {
  const RoutedRequest& target = request.question->targets()[request.target];
  const bool is_first = request.sent.empty();
  for (const ShardId shard : shards) {
    if (std::find(request.sent.begin(), request.sent.end(), shard) != request.sent.end()) continue;
    LETHE_RETURN_IF_ERROR(router_.ports().pass_on(shard, target));
    request.sent.push_back(shard);
    has_passed_on_ = true;
  }
  if (is_first && !request.sent.empty() && !target.name) ++misplaced_;
  return Status::Ok();
}

}  // namespace lethe
