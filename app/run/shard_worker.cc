#include "app/run/shard_worker.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "app/log.h"
#include "engine/model_json.h"

namespace lethe {
namespace {

constexpr std::int64_t kMs = 1'000'000;
// Commits with deletions are synced. So that many deletions share one under load, there is a pause
// between two half as long as one takes, but not longer than this.
constexpr std::int64_t kLongestPauseNs = 2 * kMs;
// Silence after which the clock decides on requests that wait for event time.
constexpr std::int64_t kSilenceNs = 1000 * kMs;
constexpr std::int64_t kTickEveryNs = 100 * kMs;
constexpr std::int64_t kLongestWaitMs = 100;
constexpr std::size_t kBatches = 4;  // read ahead: a deletion waits for those before its own
constexpr int kEraserNiceness = 10;
constexpr char kKeyNote[] = "signing-key";  // the public key that the chain knows

}  // namespace

ShardWorker::ShardWorker(const WorkerContext& context, std::unique_ptr<ShardFolder> folder)
    : context_(context),
      folder_(std::move(folder)),
      probe_(context.plan),
      shard_(context.plan, folder_->identity(),
             {folder_->state(), folder_->state().payloads(), context.publisher, probe_,
              context.hasher, context.random}),
      runner_(shard_, *this),
      lookups_(context.router, shard_),
      metrics_(context.metrics.shard(folder_->identity().shard)),
      snapshots_(ShardPath(context.config.state.path, folder_->identity().shard) + "/snapshots",
                 context.config.state.snapshots),
      releaser_(shard_, *this,
                {.models_every_ns = context.config.publish.models_every_ms * kMs,
                 .snapshot_every = context.config.state.snapshot_every,
                 .has_models_topic = context.config.publish.models_topic.has_value()}) {}

double ShardWorker::Since(std::int64_t start_ns) const {
  return static_cast<double>(context_.clock.MonotonicNs() - start_ns) * 1e-9;
}

Assignment ShardWorker::assignment() const {
  return {static_cast<std::int32_t>(shard_.id().value), read_};
}

Status ShardWorker::Prepare(Witness& witness) {
  if (!has_resumed_) {
    LETHE_RETURN_IF_ERROR(witness.CheckTopic(folder_->state(), id()));
    LETHE_RETURN_IF_ERROR(shard_.Resume());
  }
  has_resumed_ = true;
  if (!folder_->remark().empty()) {
    LogWarning(folder_->remark() + "; it is whole, and the file was made anew",
               {{"shard", std::to_string(id().value)}});
  }
  DurableState& state = folder_->state();
  const bool is_new = state.commits() == 0;
  const auto first = witness.Confirm(folder_->identity(), state, shard_);
  if (!first.ok()) return first.status();
  state.Expect(witness.backlog());
  // A process that died between a commit and the clearing away has left them.
  LETHE_RETURN_IF_ERROR(snapshots_.DestroyBefore(shard_.clean_from()));
  releaser_.Begin();
  const std::string state_id = ToText(folder_->identity().state);
  context_.publisher.SetNextEntry(id(), state_id, first.value());
  const std::uint64_t behind = state.chain_entries() - first.value();
  if (!is_new) metrics_.AddRestore();
  LogInfo(is_new ? "a new state" : "resumed",
          {{"shard", std::to_string(id().value)},
           {"state", state_id},
           {"offset", std::to_string(shard_.next().value)},
           {"learned", std::to_string(shard_.counters().learned + shard_.counters().updates)},
           {"to_publish", std::to_string(behind)}});
  backlog_ = Backlog{first.value(), state.chain_entries()};
  LETHE_RETURN_IF_ERROR(AnnounceKey());
  LETHE_RETURN_IF_ERROR(ResumeLookups());
  // So that the next start finds who this state is and where it began, even if nothing ever comes.
  uncommitted_ = 1;
  return runner_.Commit();
}

// A chain names every key that has signed it but the present one. The first key needs no entry.
Status ShardWorker::AnnounceKey() {
  const auto note = folder_->state().Note(kKeyNote);
  if (!note.ok()) return note.status();
  const auto announced = PublicKey::FromText(note.value().value_or(""));
  if (announced) {
    const auto keys = context_.signer.Since(*announced);
    if (!keys.ok()) return keys.status();
    for (std::size_t i = 1; i < keys.value().size(); ++i) {
      shard_.ChangeKey(keys.value()[i - 1].ToText(), keys.value()[i].ToText());
    }
  }
  folder_->state().SetNote(kKeyNote, context_.signer.public_key().ToText());
  return Status::Ok();
}

// A restart shows the receipts that were shown before, and publishes those that were not. As after
// every commit, the model was released before: a receipt speaks of it.
Status ShardWorker::PublishBacklog() {
  const auto [first_missing, end] = *backlog_;
  backlog_.reset();
  const std::uint64_t first_shown = end - std::min(end, ReceiptShelf::kMaxEntries);
  return folder_->state().ReadChain(
      std::min(first_shown, first_missing),
      [&](std::uint64_t number, ChainKind kind, std::string_view bytes) -> Status {
        if (number >= end) return Status::Ok();  // news of this process, which follows
        if (number >= first_missing) return context_.publisher.Publish(id(), kind, bytes);
        context_.publisher.Shelve(id(), kind, bytes);
        return Status::Ok();
      });
}

Status ShardWorker::Run(KafkaConsumer& consumer, std::optional<Offset> until) {
  consumer_ = &consumer;
  until_ = until;
  last_record_ns_ = context_.clock.MonotonicNs();
  is_done_ = false;
  std::thread eraser([this] { EraseUntilDone(); });
  Turns<WorkerBatch> turns(*this, kBatches);
  turns_ = &turns;
  Status status = turns.RunWithHelper();
  releaser_.End();
  if (status.ok() && (uncommitted_ > 0 || shard_.has_news() || NeedsSync())) {
    status = runner_.Commit();
  }
  if (status.ok()) status = folder_->state().Settle();
  lookups_.Leave();  // or others would wait for an answer
  {
    const std::lock_guard lock(eraser_mutex_);
    is_done_ = true;
  }
  eraser_wakes_.notify_all();
  eraser.join();
  return status.ok() ? eraser_status_ : status;
}

void ShardWorker::EraseUntilDone() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kEraserNiceness);
  const std::int64_t max_lag_ms = context_.config.erasure.max_lag_ms;
  Eraser& eraser = folder_->state().eraser();
  for (bool is_done = false; !is_done;) {
    std::int64_t pause_ms = std::clamp<std::int64_t>(max_lag_ms / 8, 10, 5000);
    if (eraser.has_work()) {
      const std::int64_t start = context_.clock.MonotonicNs();
      const Status status = eraser.EraseAll();
      if (!status.ok()) {
        eraser_status_ = status;
        eraser_failed_ = true;
        return;
      }
      // Not so often that the disk has nothing else to do, but well before the shard asks for it.
      const auto work_ms = static_cast<std::int64_t>(1000 * Since(start));
      pause_ms = std::max(pause_ms, std::min(9 * work_ms, max_lag_ms / 4));
    }
    std::unique_lock lock(eraser_mutex_);
    is_done = eraser_wakes_.wait_for(lock, std::chrono::milliseconds(pause_ms),
                                     [this] { return is_done_; });
  }
}

Result<bool> ShardWorker::Read(WorkerBatch& batch) {
  if (context_.stopping || (until_ && read_ >= *until_)) return false;
  if (!batch.intake) {
    batch.intake.emplace(shard_.NewIntake());
    batch.messages.GivePlainLearnsTo([&batch](std::size_t i, const PlainLearn& learn) {
      return batch.admitted.Admit(*batch.intake, i, learn);
    });
  }
  batch.admitted.Clear(RecordBatch::kMaxRecords);
  const std::int64_t wait_ms = std::min(kLongestWaitMs, context_.config.state.commit_every_ms);
  const auto found = consumer_->Read(static_cast<std::int32_t>(id().value),
                                     std::chrono::milliseconds(wait_ms), batch.messages);
  if (!found.ok()) return found.status();
  if (found.value()) read_ = batch.messages.next();
  batch.arrival = {context_.clock.NowMs()};
  batch.position = consumer_->Position(static_cast<std::int32_t>(id().value));
  return true;  // even an empty one has its turn: the clock goes on
}

void ShardWorker::Prepare(WorkerBatch& batch) {
  const std::size_t count = batch.messages.count();
  for (std::size_t i = 0; i < count; ++i) {
    Record& record = batch.messages.Decode(i, batch.admitted.buffer());
    if (batch.admitted.At(i) != nullptr) continue;
    if (record.rejection || record.event.kind == EventKind::kDelete) continue;
    batch.admitted.Admit(*batch.intake, i, record);
  }
}

Status ShardWorker::Finish(WorkerBatch& batch) {
  lookups_.Serve();
  if (batch.messages.count() > 0) {
    last_record_ns_ = context_.clock.MonotonicNs();
    LETHE_RETURN_IF_ERROR(TakeBatch(batch));
  }
  lookups_.SetReached(batch.position);
  lookups_.Serve();
  LETHE_RETURN_IF_ERROR(Tick());
  LETHE_RETURN_IF_ERROR(context_.publisher.failure());
  if (eraser_failed_) return eraser_status_;
  if (IsCommitDue()) {
    turns_->WantHelp(WaitsForDisk());
    LETHE_RETURN_IF_ERROR(runner_.Commit());
    turns_->WantHelp(false);
    consumer_->ReportProgress(static_cast<std::int32_t>(id().value), shard_.next());
  } else if (uncommitted_ == 0 && !shard_.has_news()) {
    return releaser_.ShowLater(context_.clock.MonotonicNs());
  }
  return Status::Ok();
}

Status ShardWorker::Tick() {
  const std::int64_t start = context_.clock.MonotonicNs();
  // A request that was just received is seen at once: its commit stores when it began to wait.
  if (!shard_.has_news() && start - ticked_ns_ < kTickEveryNs) return Status::Ok();
  ticked_ns_ = start;
  return runner_.ServeByTimer(context_.clock.Read(), start - last_record_ns_ > kSilenceNs);
}

Status ShardWorker::TakeBatch(WorkerBatch& batch) {
  RecordBatch& messages = batch.messages;
  lookups_.Begin(messages);
  std::optional<Elsewhere> elsewhere;
  const auto expect = [&](std::size_t i) {
    if (i >= messages.count()) return;
    if (const Admitted* admitted = batch.admitted.At(i)) shard_.Expect(*admitted);
  };
  for (std::size_t i = 0; i < Shard::kAhead; ++i) expect(i);
  for (std::size_t i = 0; i < messages.count(); ++i) {
    Record& record = messages.record(i);
    if (record.offset < shard_.next()) {
      lookups_.Again(record, i);
      continue;
    }
    if (TimeBound::IsAhead(record.timestamp, batch.arrival)) metrics_.AddAhead();
    if (shard_.ArrivalDecides(record.timestamp, batch.arrival)) record.arrival = batch.arrival;
    lookups_.Serve();
    LETHE_RETURN_IF_ERROR(lookups_.Before(record, i, elsewhere));
    expect(i + Shard::kAhead);
    LETHE_RETURN_IF_ERROR(
        runner_.Process(record, elsewhere ? &*elsewhere : nullptr, batch.admitted.At(i)));
    if (uncommitted_ == 0) first_uncommitted_ns_ = last_record_ns_;
    ++uncommitted_;
    NotePlacement(record, messages.key(i), batch.admitted.At(i));
    const auto rejection = probe_.TakeRejection();
    if (!rejection) continue;
    metrics_.AddDeadLetter(rejection->reason);
    if (!context_.publisher.wants_dead_letters()) continue;
    ++dead_letters_;
    LETHE_RETURN_IF_ERROR(context_.publisher.SendDeadLetter({.shard = id(),
                                                             .offset = record.offset,
                                                             .timestamp = record.timestamp,
                                                             .rejection = *rejection,
                                                             .key = messages.key(i),
                                                             .value = messages.value(i)}));
  }
  return Status::Ok();
}

bool ShardWorker::IsCommitDue() {
  if (lookups_.has_answers()) return true;
  if (shard_.has_news()) {
    return !consumer_->HasMore(static_cast<std::int32_t>(id().value)) ||
           context_.clock.MonotonicNs() >= next_news_ns_;
  }
  if (NeedsSync()) return true;
  return uncommitted_ >= context_.config.state.commit_events || folder_->state().is_full() ||
         (uncommitted_ > 0 && context_.clock.MonotonicNs() - first_uncommitted_ns_ >=
                                  context_.config.state.commit_every_ms * kMs);
}

// A commit that is synced does, and one of payloads, which are.
bool ShardWorker::WaitsForDisk() {
  return shard_.has_news() || NeedsSync() || folder_->state().payloads().bytes() > 0;
}

// An offset behind a refused record, or behind a request for other shards, is stored when the dead
// letter or the request has arrived where it goes, and not before.
Status ShardWorker::BeforeCommit() {
  const auto passed_on = lookups_.Settle();
  if (!passed_on.ok()) return passed_on.status();
  for (std::size_t n = lookups_.TakeMisplaced(); n > 0; --n) metrics_.AddMisrouted();
  NoteOpenLookups();
  if (dead_letters_ > 0 || passed_on.value()) {
    LETHE_RETURN_IF_ERROR(context_.publisher.WaitForAll());
  }
  if (!is_record_noted_ && shard_.counters().records > 0) {
    NoteKnownRecord(folder_->state(), shard_);
    is_record_noted_ = true;
  }
  commit_start_ns_ = context_.clock.MonotonicNs();
  return Status::Ok();
}

Status ShardWorker::AfterCommit(bool has_news) {
  metrics_.ObserveCommit(has_news, Since(commit_start_ns_));
  metrics_.SetCommitTime(static_cast<double>(context_.clock.NowMs()) / 1000);
  if (has_news) {
    for (const auto& [stage, seconds] : probe_.TakeStages()) {
      metrics_.ObserveErasure(stage, seconds);
    }
    const std::int64_t now = context_.clock.MonotonicNs();
    next_news_ns_ = now + std::min(kLongestPauseNs, (now - commit_start_ns_) / 2);
  }
  uncommitted_ = 0;
  dead_letters_ = 0;
  LETHE_RETURN_IF_ERROR(
      releaser_.AfterCommit(has_news, probe_.TakeFirstForgotten(), context_.clock.MonotonicNs()));
  return backlog_ ? PublishBacklog() : Status::Ok();
}

Status ShardWorker::AddSnapshot() {
  const std::int64_t steps = shard_.counters().learned + shard_.counters().updates;
  return snapshots_.Add(steps, shard_.model_version(), ModelDocument());
}

std::string ShardWorker::ModelDocument() const {
  const std::vector<std::shared_ptr<const ShardReport>> report = {
      std::make_shared<const ShardReport>(shard_.Report())};
  return ModelJson(context_.board.facts(), ModelsOf(report), context_.hasher);
}

void ShardWorker::Show() {
  ShardReport report = shard_.Report();
  probe_.AddTo(report);
  context_.board.Show(std::move(report));
}

Status ShardWorker::Mark(ModelVersion version) {
  return context_.publisher.PublishMark(id(), ToText(folder_->identity().state), version);
}

Status ShardWorker::SendModel() {
  return context_.publisher.PublishModel(id(), [this] { return ModelDocument(); });
}

Status ShardWorker::SendCleanFrom() {
  return context_.publisher.PublishCleanFrom(id(), ToText(folder_->identity().state),
                                             shard_.clean_from());
}

void ShardWorker::Measure(const KafkaConsumer& consumer) {
  const auto partition = static_cast<std::int32_t>(id().value);
  const std::int64_t lag = consumer.Lag(partition);
  metrics_.SetLag(lag >= 0 ? std::optional(lag) : std::nullopt);
  metrics_.SetQueue(consumer.Queued(partition));
  for (std::size_t i = 0; i < kFamilies; ++i) {
    const auto family = static_cast<Family>(i);
    metrics_.SetStateBytes(Name(family), folder_->store().Bytes(family));
  }
}

}  // namespace lethe
