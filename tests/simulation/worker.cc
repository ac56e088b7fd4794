#include "tests/simulation/worker.h"

#include <algorithm>

#include "engine/base/check.h"
#include "tests/simulation/process.h"

namespace lethe::simulation {
namespace {

constexpr std::int64_t kMs = WorldTime::kMs;

}  // namespace

std::unique_ptr<DurableState> Worker::OpenState(Disk& disk) {
  auto state = DurableState::Open(disk, nullptr);
  if (!state.ok()) throw Violation{"the state can be read", state.status().message()};
  return std::move(state).value();
}

Worker::Worker(int id, World& world, Process& process, Router& router)
    : id_(id),
      world_(world),
      process_(process),
      facts_(world.checks.of(id)),
      probe_(world.plan),
      state_(OpenState(facts_.disk)),
      spy_state_(*state_, world.defect,
                 [this](ChainKind kind, std::string_view bytes) {
                   (void)SendReceipt(next_entry_, kind, bytes);
                 }),
      shard_(std::make_unique<Shard>(
          world.plan, facts_.identity,
          ShardPorts{spy_state_, state_->payloads(), *this, probe_, world.hasher, world.random})),
      lookup_(router, *shard_, *state_, process.clock_),
      spy_lookup_(lookup_, facts_.journal, world.defect),
      loop_({.shard = *shard_,
             .clock = process.clock_,
             .lookup = spy_lookup_,
             .output = *this,
             .release = *this,
             .observer = *this,
             .state = state_.get()},
            {.max_records = world.setup.commit_records,
             .max_age_ns = world.setup.commit_every_ms * kMs}),
      release_(*shard_, *this,
               {.models_every_ns = world.setup.models_every_ms * kMs,
                .snapshot_every = world.setup.snapshot_every,
                .has_models_topic = true}) {
  facts_.disk.SetHooks(
      {.point = [this] { process_.Point(); },
       .on_commit =
           [this] {
             world_.checks.OnCommit(
                 *shard_, world_.broker,
                 world_.broker.IsOnItsWay(process_.number_, id_, Outgoing::Topic::kSource));
           }});
}

Status Worker::Prepare() {
  shard_->SetPace(world_.setup.rewinds);
  LETHE_RETURN_IF_ERROR(shard_->Resume());
  const bool is_new = state_->commits() == 0;
  if (is_new) shard_->GoOnFrom({0});
  spy_state_.SetBegin(shard_->next());
  next_entry_ = world_.checks.OnStart(*shard_, *state_);
  backlog_end_ = static_cast<std::int64_t>(state_->chain_entries());
  if (world_.defect == Defect::kPublishesFromWrongEntry && next_entry_ < backlog_end_) {
    ++next_entry_;
  }
  backlog_ = next_entry_;
  std::erase_if(facts_.snapshots, [this](const Snapshot& snapshot) {
    return snapshot.version < shard_->clean_from().value;
  });
  release_.Begin();
  const auto from = lookup_.Resume();
  if (!from.ok()) return from.status();
  read_ = from.value();
  if (world_.defect == Defect::kSkipsRecord && !is_new) {
    read_ = {std::max(read_.value, shard_->next().value + 1)};
  }
  return loop_.Commit();
}

Status Worker::PublishBacklog() {
  const std::int64_t first = *backlog_;
  backlog_.reset();
  return state_->ReadChain(
      static_cast<std::uint64_t>(first),
      [&](std::uint64_t number, ChainKind kind, std::string_view bytes) -> Status {
        if (static_cast<std::int64_t>(number) >= backlog_end_) return Status::Ok();
        return SendReceipt(next_entry_, kind, bytes);
      });
}

Status Worker::Step(std::int64_t records) {
  if (process_.dice().Percent(10)) LETHE_RETURN_IF_ERROR(state_->eraser().EraseAll());
  Admissions& admissions = batch_.messages.admissions();
  if (admissions.empty()) admissions.emplace(shard_->id(), shard_->NewAdmission());
  most_records_ = records;
  LETHE_CHECK(Read(batch_.messages).ok());
  batch_.messages.Admit();
  batch_.arrival = {process_.clock_.NowMs()};
  batch_.reached = Reached();
  const auto committed = loop_.TakeBatch(batch_, HasMore());
  if (!committed.ok()) return committed.status();
  world_.checks.OnStep(*shard_, world_.broker);
  return Status::Ok();
}

Status Worker::Finish() {
  release_.End();
  LETHE_RETURN_IF_ERROR(loop_.CommitRest());
  facts_.disk.WaitForWrites();
  return Status::Ok();
}

Result<bool> Worker::Read(MessageBatch& batch) {
  batch.Clear(static_cast<std::size_t>(most_records_));
  if (world_.broker.is_away()) return true;
  std::int64_t count = 0;
  for (const SourceRecord& record : world_.broker.records(id_)) {
    if (record.offset < read_) continue;
    if (count++ == most_records_) break;
    batch.AddMessage(shard_->id(), {record.offset, record.timestamp}, record.is_rerouted,
                     record.message.key, record.message.value);
    read_ = {record.offset.value + 1};
  }
  return true;
}

bool Worker::HasMore() const { return read_ < world_.broker.End(id_); }

Offset Worker::Reached() const { return read_; }

void Worker::Send(Outgoing::Topic topic, std::int64_t number, std::string bytes) {
  process_.Point();
  world_.broker.Send(process_.number_,
                     {.topic = topic, .shard = id_, .number = number, .bytes = std::move(bytes)},
                     process_.dice());
  process_.Point();
}

Status Worker::SendDeadLetter(const DeadLetter& letter) {
  if (process_.refuses_letter_) {
    process_.refuses_letter_ = false;
    process_.failure_ = {ErrorCode::kInput, "planned: the topic refuses the message"};
    return Status::Ok();
  }
  if (world_.defect == Defect::kLosesDeadLetter && ++process_.letters_ % 2 == 0) {
    return Status::Ok();
  }
  Send(Outgoing::Topic::kDeadLetters, letter.offset.value);
  return Status::Ok();
}

Status Worker::WaitForAll() {
  process_.Point();
  while (world_.broker.is_away()) {
    if (process_.is_stopping_) return {ErrorCode::kInterrupted, "planned: stopped without brokers"};
    LETHE_RETURN_IF_ERROR(failure());
    world_.time.AdvanceMs(50);
    process_.Point();
  }
  if (world_.defect != Defect::kAcksBeforeDelivery) world_.broker.Flush(process_.number_);
  process_.Point();
  return failure();
}

Status Worker::failure() const { return process_.failure_; }

bool Worker::NeedsSync() {
  const bool has_backlog = backlog_ && *backlog_ < backlog_end_;
  return has_backlog || release_.NeedsSync(process_.clock_.MonotonicNs());
}

Status Worker::AfterCommit(bool has_news) {
  const auto forgotten = probe_.TakeFirstForgotten();
  const bool is_skipped = world_.defect == Defect::kSkipsRelease && has_news;
  if (!is_skipped) {
    LETHE_RETURN_IF_ERROR(release_.AfterCommit(has_news, forgotten, process_.clock_.MonotonicNs()));
  }
  return backlog_ ? PublishBacklog() : Status::Ok();
}

Status Worker::WhenIdle() { return release_.ShowLater(process_.clock_.MonotonicNs()); }

Status Worker::WaitForWrites() {
  if (world_.defect != Defect::kReleasesUnsettled) facts_.disk.WaitForWrites();
  return Status::Ok();
}

Status Worker::Mark(ModelVersion version) {
  if (world_.defect == Defect::kSkipsMark) return Status::Ok();
  Send(Outgoing::Topic::kMarks, version.value);
  return WaitForAll();
}

Status Worker::DestroySnapshotsWith(EventIndex first) {
  process_.Point();
  if (world_.defect == Defect::kKeepsSnapshots) return Status::Ok();
  std::erase_if(facts_.snapshots,
                [&](const Snapshot& snapshot) { return snapshot.steps > first.value; });
  process_.Point();
  return Status::Ok();
}

Status Worker::Release() {
  process_.Point();
  world_.checks.OnRelease(*shard_);
  return Status::Ok();
}

Status Worker::AddSnapshot() {
  LETHE_RETURN_IF_ERROR(Release());
  facts_.snapshots.push_back(
      {shard_->counters().learned + shard_->counters().updates, shard_->model_version().value});
  process_.Point();
  return Status::Ok();
}

void Worker::Show() {
  (void)Release();
  facts_.shown = shard_->model_version().value;
  process_.Point();
}

Status Worker::SendModel() {
  LETHE_RETURN_IF_ERROR(Release());
  Send(Outgoing::Topic::kModels, shard_->model_version().value);
  return Status::Ok();
}

Status Worker::SendCleanFrom() {
  Send(Outgoing::Topic::kCleanFrom, shard_->clean_from().value);
  return Status::Ok();
}

Status Worker::Publish(ShardId /*shard*/, ChainKind kind, std::string_view bytes) {
  if (world_.defect == Defect::kPublishesBeforeDurable) return Status::Ok();
  return SendReceipt(next_entry_, kind, bytes);
}

Status Worker::SendReceipt(std::int64_t entry, ChainKind kind, std::string_view bytes) {
  process_.Point();
  world_.checks.OnPublish(id_, entry, kind, bytes, world_.broker);
  ++next_entry_;
  Send(Outgoing::Topic::kReceipts, entry, std::string(bytes));
  return Status::Ok();
}

}  // namespace lethe::simulation
