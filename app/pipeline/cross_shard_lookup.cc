#include "app/pipeline/cross_shard_lookup.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/log.h"

namespace lethe {
namespace {

// How long a receipt waits for answers that are certain.
constexpr std::int64_t kShortTimeNs = 50'000'000;
// Above this many open requests the oldest are passed on to the shards that have not answered.
constexpr std::size_t kMaxOpen = 50'000;
constexpr char kOpenNote[] = "lookups";  // the offset of the oldest request without all answers
constexpr char kAnywhereNote[] =
    "anywhere";  // events were learned that no known partitioner explains

}  // namespace

Result<Offset> CrossShardLookup::Resume() {
  const auto anywhere = state_.Note(kAnywhereNote);
  if (!anywhere.ok()) return anywhere.status();
  is_anywhere_ = anywhere.value().has_value();
  if (is_anywhere_) router_.SetAnywhere();
  const auto note = state_.Note(kOpenNote);
  if (!note.ok()) return note.status();
  open_note_ = note.value().value_or("");
  const Offset first_open{open_note_.empty() ? shard_.next().value
                                             : std::atoll(open_note_.c_str())};
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

// The note is the offset of the oldest open request, so a restart also reads younger requests again
// that were answered meanwhile. Answering them twice changes nothing: the shards recognise a
// repetition.
void CrossShardLookup::NoteOpen() {
  const auto open = first_open();
  std::string note = open ? std::to_string(open->value) : "";
  if (note == open_note_) return;
  open_note_ = std::move(note);
  state_.SetNote(kOpenNote, open_note_);
}

// A learned event that no partitioner explains makes every later request by subject go to all
// partitions of other processes. The state remembers that with a note. An event with a subject and
// without a key counts too, because its producer chose the partition freely.
bool CrossShardLookup::NotePlacement(const MessageBatch& batch, std::size_t i) {
  const Item& item = batch.item(i);
  const auto* request = std::get_if<const Request*>(&item);
  if (request != nullptr && (*request)->is_rerouted) return false;
  const auto key = batch.key(i);
  const Router::Placement placement = router_.PlacementOf(shard_.id(), key);
  const bool is_misrouted = placement != Router::Placement::kRight;
  const AdmittedLearn* const learn = LearnIn(item);
  if (is_anywhere_ || learn == nullptr || router_.is_alone()) return is_misrouted;
  const bool has_subject_only = !key && learn->subject.has_value();
  if (placement != Router::Placement::kUnexplained && !has_subject_only) return is_misrouted;
  is_anywhere_ = true;
  router_.SetAnywhere();
  state_.SetNote(kAnywhereNote, "1");
  return is_misrouted;
}

const Request* CrossShardLookup::RequestIn(const Item& item) {
  if (const auto* request = std::get_if<const Request*>(&item)) return *request;
  if (const auto* update = std::get_if<const AdmittedUpdate*>(&item)) return &(*update)->replaced;
  return nullptr;
}

void CrossShardLookup::Begin(const MessageBatch& batch) {
  question_.reset();
  messages_.clear();
  at_ = 0;
  if (router_.is_alone()) return;
  std::vector<RoutedRequest> targets;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Request* const request = RequestIn(batch.item(i));
    if (request == nullptr || (request->is_rerouted && !CountsHoldersOf(*request))) continue;
    // An id is learned in one shard only. If this shard has the old version, no other shard has it.
    if (request->is_replacement && shard_.Find(*request) == Membership::kLearned) continue;
    RoutedRequest target{.request = *request, .name = request->subject};
    if (request->is_replacement) target.request.subject.reset();
    if (const auto key = batch.key(i); key && !target.name) target.name = std::string(*key);
    targets.push_back(std::move(target));
    messages_.push_back(i);
  }
  if (targets.empty()) return;
  question_ = router_.Ask(shard_.id(), std::move(targets));
  patience_ns_ = clock_.MonotonicNs() + kShortTimeNs;
}

bool CrossShardLookup::Open(Offset offset, const Request& request) {
  if (request.is_rerouted) {  // the shard that sent it has looked everywhere
    ++at_;
    return false;
  }
  open_.push_back({.question = question_,
                   .target = at_++,
                   .offset = offset,
                   .is_known = shard_.Find(request) != Membership::kUnknown,
                   .sent = {},
                   .seen = {}});
  return true;
}

Status CrossShardLookup::Before(const MessageBatch& batch, std::size_t i,
                                std::optional<LookupResult>& result) {
  result.reset();
  if (!IsTarget(i)) return Status::Ok();
  const Request& request = *RequestIn(batch.item(i));
  const bool is_learned = shard_.Find(request) == Membership::kLearned;
  if (is_learned && CountsHoldersOf(request)) {
    LETHE_RETURN_IF_ERROR(AwaitHeard(question_));
    result.emplace().holders = router_.Holders(*question_, at_);
  }
  if (!Open(batch.position(i).offset, request)) return Status::Ok();
  if (is_learned || request.is_replacement) return Status::Ok();
  OpenRequest& open = open_.back();
  LETHE_RETURN_IF_ERROR(AwaitHeard(open.question));
  AwaitAnswers(*open.question);
  result = router_.Result(*open.question, open.target, open.is_known);
  return SendTo(result->passed_on, open);
}

void CrossShardLookup::SetReached(Offset reached) {
  reached_ = reached;
  if (again_from_ && reached >= again_until_) again_from_.reset();
}

// Goes through the open requests in the order of their offsets, and passes each on to the shards
// that are known by now to concern it. A request leaves the list when every shard has answered for
// certain. A request about which nothing new was found since the last call is skipped. When more
// than kMaxOpen are open, the oldest are passed on to the shards that have not answered, whether
// they know the events or not: a needless message is harmless, and the list stays bounded.
Result<bool> CrossShardLookup::PassOn() {
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
    const LookupResult elsewhere =
        router_.Result(*request.question, request.target, request.is_known);
    LETHE_RETURN_IF_ERROR(SendTo(elsewhere.passed_on, request));
    if (is_answered) continue;
    if (open.size() - i > kMaxOpen) {
      LETHE_RETURN_IF_ERROR(SendTo(elsewhere.pending, request));
    } else {
      open_.push_back(std::move(request));
    }
  }
  NoteOpen();
  return std::exchange(has_passed_on_, false);
}

std::optional<Offset> CrossShardLookup::first_open() const {
  if (again_from_) return again_from_;
  if (open_.empty()) return std::nullopt;
  return open_.front().offset;
}

Status CrossShardLookup::AwaitHeard(const std::shared_ptr<Router::Question>& question) {
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

void CrossShardLookup::AwaitAnswers(const Router::Question& question) {
  while (!question.is_answered() && clock_.MonotonicNs() < patience_ns_) {
    Serve();
    router_.WaitABit();
  }
}

Status CrossShardLookup::SendTo(const std::vector<ShardId>& shards, OpenRequest& request) {
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
