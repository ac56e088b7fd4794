#include "app/run/shard_worker.h"

#include <algorithm>

#include "app/log.h"
#include "connectors/kafka/partition_source.h"
#include "engine/shard/model_json.h"

namespace lethe {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kLongestWaitMs = 100;
constexpr std::size_t kBatches = 4;         // read ahead; a deletion waits for those before it
constexpr char kKeyNote[] = "signing-key";  // the public key that the chain knows

}  // namespace

ShardWorker::ShardWorker(const WorkerContext& context, std::unique_ptr<ShardFolder> folder)
    : context_(context),
      folder_(std::move(folder)),
      probe_(context.plan),
      shard_(context.plan, folder_->identity(),
             {folder_->state(), folder_->state().payloads(), context.publisher, probe_,
              context.hasher, context.random}),
      lookup_(context.router, shard_, folder_->state(), context.clock),
      loop_({.shard = shard_,
             .clock = context.clock,
             .lookup = lookup_,
             .output = context.publisher,
             .release = *this,
             .observer = *this,
             .state = &folder_->state(),
             .before_commit = [this] { BeforeCommit(); }},
            {.max_records = context.config.state.commit_events,
             .max_age_ns = context.config.state.commit_every_ms * kMs}),
      metrics_(context.metrics.shard(folder_->identity().shard)),
      snapshots_(ShardPath(context.config.state.path, folder_->identity().shard) + "/snapshots",
                 context.config.state.snapshots),
      release_(shard_, *this,
               {.models_every_ns = context.config.publish.models_every_ms * kMs,
                .snapshot_every = context.config.state.snapshot_every,
                .has_models_topic = context.config.publish.models_topic.has_value()}) {
  shard_.SetPace(RewindPolicy::Live());
}

Assignment ShardWorker::assignment() const {
  return {static_cast<std::int32_t>(shard_.id().value), read_};
}

Status ShardWorker::Prepare(StartupFence& fence) {
  if (!has_resumed_) {
    LETHE_RETURN_IF_ERROR(fence.CheckTopic(folder_->state(), id()));
    LETHE_RETURN_IF_ERROR(shard_.Resume());
  }
  has_resumed_ = true;
  if (!folder_->remark().empty()) {
    LogWarning(folder_->remark() + "; it is whole, and the file was made anew",
               {{"shard", std::to_string(id().value)}});
  }
  DurableState& state = folder_->state();
  const bool is_new = state.commits() == 0;
  const auto first = fence.Confirm(folder_->identity(), state, shard_);
  if (!first.ok()) return first.status();
  state.Reserve(fence.backlog());
  // A process that died between a commit and the release has left old snapshots.
  LETHE_RETURN_IF_ERROR(snapshots_.DestroyBefore(shard_.clean_from()));
  release_.Begin();
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
  const auto from = lookup_.Resume();
  if (!from.ok()) return from.status();
  read_ = from.value();
  // Without this commit, a state that never gets a record would not know its identity and where it
  // began.
  return loop_.Commit();
}

// The chain has an entry for each change of the signing key, with the old and the new key. The
// first key needs no entry. The state remembers the last key that the chain names.
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

// Shows the newest receipts again that an earlier process has shown, and publishes the entries that
// the topic does not have. Runs after the first commit, when the model that these receipts speak of
// is released.
Status ShardWorker::PublishBacklog() {
  const auto [first_missing, end] = *backlog_;
  backlog_.reset();
  const std::uint64_t first_shown = end - std::min(end, RecentReceipts::kMaxEntries);
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
  KafkaPartitionSource source(
      consumer, static_cast<std::int32_t>(id().value),
      std::chrono::milliseconds(std::min(kLongestWaitMs, context_.config.state.commit_every_ms)));
  BatchPipeline<LoopBatch> pipeline(*this, kBatches);
  EraserThread eraser(folder_->state().eraser(), context_.clock,
                      context_.config.erasure.max_lag_ms);
  consumer_ = &consumer;
  source_ = &source;
  until_ = until;
  pipeline_ = &pipeline;
  eraser_ = &eraser;
  Status status = pipeline.RunWithHelper();
  pipeline_ = nullptr;
  release_.End();
  if (status.ok()) status = loop_.CommitRest();
  if (status.ok()) status = folder_->state().WaitForWrites();
  lookup_.Leave();
  const Status erased = eraser.Stop();
  return status.ok() ? erased : status;
}

Result<bool> ShardWorker::Read(LoopBatch& batch) {
  if (context_.stopping || (until_ && read_ >= *until_)) return false;
  Admissions& admissions = batch.messages.admissions();
  if (admissions.empty()) admissions.emplace(id(), shard_.NewAdmission());
  const auto found = source_->Read(batch.messages);
  if (!found.ok()) return found.status();
  const std::size_t size = batch.messages.size();
  if (size > 0) read_ = {batch.messages.position(size - 1).offset.value + 1};
  batch.arrival = {context_.clock.NowMs()};
  batch.reached = source_->Reached();
  return true;  // an empty batch is taken too, so that the loop looks at the clock
}

Status ShardWorker::Finish(LoopBatch& batch) {
  if (eraser_->has_failed()) return eraser_->status();
  const auto committed = loop_.TakeBatch(batch, source_->HasMore());
  pipeline_->WantHelp(false);
  if (!committed.ok()) return committed.status();
  if (committed.value()) {
    consumer_->ReportProgress(static_cast<std::int32_t>(id().value), shard_.next());
  }
  return Status::Ok();
}

void ShardWorker::BeforeCommit() {
  if (!is_record_noted_ && shard_.counters().records > 0) {
    NoteKnownRecord(folder_->state(), shard_);
    is_record_noted_ = true;
  }
  // Another thread reads and decodes while the commit waits for the disk. A commit with news is
  // synced, and payload files always are.
  if (pipeline_ == nullptr) return;
  pipeline_->WantHelp(shard_.has_news() || NeedsSync() || folder_->state().payloads().bytes() > 0);
}

void ShardWorker::OnCommit(bool has_news, double seconds) {
  metrics_.ObserveCommit(has_news, seconds);
  metrics_.SetCommitTime(static_cast<double>(context_.clock.NowMs()) / 1000);
  if (!has_news) return;
  for (const auto& [stage, waited] : probe_.TakeStages()) metrics_.ObserveErasure(stage, waited);
}

Status ShardWorker::AfterCommit(bool has_news) {
  LETHE_RETURN_IF_ERROR(
      release_.AfterCommit(has_news, probe_.TakeFirstForgotten(), context_.clock.MonotonicNs()));
  return backlog_ ? PublishBacklog() : Status::Ok();
}

Status ShardWorker::AddSnapshot() {
  const std::int64_t steps = shard_.counters().learned + shard_.counters().updates;
  return snapshots_.Add(steps, shard_.model_version(), ModelDocument());
}

std::string ShardWorker::ModelDocument() const {
  const std::vector<std::shared_ptr<const ShardReport>> report = {
      std::make_shared<const ShardReport>(shard_.Report())};
  return ModelJson(context_.published.info(), ModelsOf(report), context_.hasher);
}

void ShardWorker::Show() {
  ShardReport report = shard_.Report();
  probe_.AddTo(report);
  if (report.lacks_clock && report.counters.records > 0 && !is_clock_missed_) {
    is_clock_missed_ = true;
    LogWarning(
        "no record has a timestamp, and forgetting.retention is a time: nothing expires until one "
        "has; state the retention in events instead",
        {{"shard", std::to_string(id().value)}});
  }
  // The names of the members are not logged: they are the producer's, and may be personal.
  if (probe_.TakeUnknownMembers()) {
    LogWarning(
        "events have members that Lethe does not read (it reads type, id, subject, x, f, y, w, "
        "request and cause): see lethe_unknown_members_total",
        {{"shard", std::to_string(id().value)}});
  }
  context_.published.Show(std::move(report));
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
