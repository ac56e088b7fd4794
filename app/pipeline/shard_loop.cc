#include "app/pipeline/shard_loop.h"

#include <algorithm>

namespace lethe {
namespace {

constexpr std::int64_t kMs = 1'000'000;
// Commits with news are synced. Under load there is a pause between two of them, so that many
// deletions share one and about a twentieth of the time goes to such commits: nineteen times as
// long as the last commit took, but at most this long.
constexpr std::int64_t kPauseOfCommits = 19;
constexpr std::int64_t kLongestPauseNs = 50 * kMs;
// With so many messages in a batch the stream is under load, even if no more can be read at once:
// the reader may be as fast as what it reads from.
constexpr std::size_t kLargeBatch = 128;
// After this long without a record, the clock decides on requests that wait for event time.
constexpr std::int64_t kSilenceNs = 1000 * kMs;
constexpr std::int64_t kTickEveryNs = 100 * kMs;

}  // namespace

Result<bool> ShardLoop::TakeBatch(LoopBatch& batch, bool has_more) {
  is_loaded_ = has_more || batch.messages.size() >= kLargeBatch;
  ports_.lookup.Serve();
  if (last_record_ns_ == 0) last_record_ns_ = ports_.clock.MonotonicNs();
  if (batch.messages.size() > 0) {
    last_record_ns_ = ports_.clock.MonotonicNs();
    LETHE_RETURN_IF_ERROR(TakeItems(batch));
  }
  ports_.lookup.SetReached(batch.reached);
  ports_.lookup.Serve();
  LETHE_RETURN_IF_ERROR(Tick());
  LETHE_RETURN_IF_ERROR(ports_.output.failure());
  const auto committed = CommitIfDue(is_loaded_);
  if (!committed.ok() || committed.value()) return committed;
  if (uncommitted_ == 0 && !has_news()) LETHE_RETURN_IF_ERROR(ports_.release.WhenIdle());
  return false;
}

// After a restart a batch may begin before shard.next(), because CrossShardLookup reads open
// requests again. Those messages are shown to the lookup and not processed a second time. The index
// entries of a message are prefetched some messages ahead of it, which hides the cache misses.
Status ShardLoop::TakeItems(LoopBatch& batch) {
  MessageBatch& messages = batch.messages;
  ports_.lookup.Begin(messages);
  for (std::size_t i = 0; i < Shard::kPrefetchAhead; ++i) Prefetch(messages, i);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages.position(i).offset < ports_.shard.next()) {
      ports_.lookup.Again(messages, i);
      continue;
    }
    ports_.lookup.Serve();
    Prefetch(messages, i + Shard::kPrefetchAhead);
    LETHE_RETURN_IF_ERROR(Take(messages, i, batch.arrival));
  }
  return Status::Ok();
}

void ShardLoop::Prefetch(const MessageBatch& messages, std::size_t i) const {
  if (i >= messages.size() || !messages.has_item(i)) return;
  if (const AdmittedLearn* learn = LearnIn(messages.item(i))) ports_.shard.Prefetch(*learn);
}

Status ShardLoop::Take(MessageBatch& messages, std::size_t i, TimeMs arrival) {
  if (arrival != kNoTime) {
    const TimeMs timestamp = messages.position(i).timestamp;
    if (TimeBound::IsAhead(timestamp, arrival)) ports_.observer.OnAhead();
    if (ports_.shard.ArrivalDecides(timestamp, arrival)) messages.SetArrival(i, arrival);
  }
  LETHE_RETURN_IF_ERROR(ports_.lookup.Before(messages, i, lookup_result_));
  if (ports_.shard.WantsTime(messages.item(i))) {
    ports_.shard.SetTime(ports_.clock.MonotonicNs(), is_loaded_);
  }
  LETHE_RETURN_IF_ERROR(commits_.Process(messages.position(i), messages.item(i),
                                         lookup_result_ ? &*lookup_result_ : nullptr));
  if (uncommitted_ == 0) first_uncommitted_ns_ = last_record_ns_;
  ++uncommitted_;
  if (ports_.lookup.NotePlacement(messages, i)) ports_.observer.OnMisrouted();
  if (!std::holds_alternative<const Rejection*>(messages.item(i))) return Status::Ok();
  return SendDeadLetter(messages, i);
}

Status ShardLoop::SendDeadLetter(const MessageBatch& messages, std::size_t i) {
  const Rejection& rejection = *std::get<const Rejection*>(messages.item(i));
  ports_.observer.OnDeadLetter(rejection.reason);
  if (!ports_.output.wants_dead_letters()) return Status::Ok();
  ++dead_letters_;
  return ports_.output.SendDeadLetter({.shard = ports_.shard.id(),
                                       .offset = messages.position(i).offset,
                                       .timestamp = messages.position(i).timestamp,
                                       .rejection = rejection,
                                       .key = messages.key(i),
                                       .value = messages.value(i)});
}

Status ShardLoop::Tick() {
  const std::int64_t start = ports_.clock.MonotonicNs();
  // After a request the clock is read at once, because the commit of the request stores when it
  // began to wait.
  if (!has_news() && !ports_.shard.is_deferred() && start - ticked_ns_ < kTickEveryNs) {
    return Status::Ok();
  }
  ticked_ns_ = start;
  ports_.shard.SetTime(start, is_loaded_);
  return commits_.ServeByTimer(ports_.clock.Read(), start - last_record_ns_ > kSilenceNs);
}

Result<bool> ShardLoop::CommitIfDue(bool has_more) {
  const bool reads_clock = policy_.max_age_ns > 0 || has_news();
  const std::int64_t now = reads_clock ? ports_.clock.MonotonicNs() : 0;
  const bool is_due =
      IsCommitDue(policy_, {.records = uncommitted_,
                            .age_ns = now - first_uncommitted_ns_,
                            .is_full = ports_.state != nullptr && ports_.state->is_full(),
                            .has_news = has_news(),
                            .news_waits = now < next_news_ns_,
                            .has_more = has_more,
                            .has_answers = ports_.lookup.has_answers(),
                            .must_release = ports_.release.NeedsSync()});
  if (!is_due) return false;
  LETHE_RETURN_IF_ERROR(Commit());
  return true;
}

Status ShardLoop::CommitRest() {
  if (ports_.shard.is_deferred()) {
    LETHE_RETURN_IF_ERROR(ports_.shard.ServeDeferred(ports_.clock.Read()));
  }
  if (uncommitted_ == 0 && !has_news() && !NeedsSync()) return Status::Ok();
  return Commit();
}

// The wait for acknowledgements is skipped when nothing was sent since the last commit.
Status ShardLoop::DeliverOutgoing() {
  const auto passed_on = ports_.lookup.PassOn();
  if (!passed_on.ok()) return passed_on.status();
  for (std::size_t n = ports_.lookup.TakeMisplaced(); n > 0; --n) ports_.observer.OnMisrouted();
  if (dead_letters_ > 0 || passed_on.value()) LETHE_RETURN_IF_ERROR(ports_.output.WaitForAll());
  ports_.before_commit();
  commit_start_ns_ = ports_.clock.MonotonicNs();
  return Status::Ok();
}

Status ShardLoop::Release(bool has_news) {
  const std::int64_t now = ports_.clock.MonotonicNs();
  ports_.observer.OnCommit(has_news, static_cast<double>(now - commit_start_ns_) * 1e-9);
  if (has_news)
    next_news_ns_ = now + std::min(kLongestPauseNs, kPauseOfCommits * (now - commit_start_ns_));
  uncommitted_ = 0;
  dead_letters_ = 0;
  return ports_.release.AfterCommit(has_news);
}

}  // namespace lethe
