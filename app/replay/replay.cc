#include "app/replay/replay.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <set>

#include "app/interrupt.h"
#include "app/pipeline/batch_pipeline.h"
#include "app/pipeline/shard_loop.h"
#include "app/progress.h"
#include "app/replay/file_sink.h"
#include "app/replay/recorded_chain.h"
#include "app/replay/result_files.h"
#include "connectors/file/recorded_stream.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "connectors/system/system_clock.h"
#include "engine/shard/model_json.h"
#include "engine/spec/config_hash.h"
#include "engine/spec/dimension.h"
#include "state/memory_state.h"
#include "state/payloads/memory_payloads.h"
#include "state/shard_folder.h"

namespace lethe {
namespace {

class Replayer final : private PipelineStages<MessageBatch> {
 public:
  Replayer(const Plan& plan, const ReplayOptions& options, ResultFiles* files)
      : plan_(plan),
        options_(options),
        random_(MakeRandom(plan.spec.noise)),
        sink_(files),
        evaluation_(Loss(plan.spec.model, plan.spec.learning.update), options.series_every,
                    [this, files](const SeriesRow& row) {
                      if (options_.keep_series) kept_.push_back(row);
                      if (files == nullptr || !series_.ok()) return;
                      series_ = files->series().WriteLine(SeriesLine(row, is_first_row_));
                      is_first_row_ = false;
                    }) {
    if (WantsRegret()) evaluation_.RecordRegret(plan.constants);
    if (WantsEstimate()) evaluation_.SampleRegret(plan.constants, options.regret_sample);
  }

  Result<ReplayResult> Run(BatchSource& source, int threads) {
    source_ = &source;
    const std::int64_t start = clock_.MonotonicNs();
    if (!options_.state.empty()) LETHE_RETURN_IF_ERROR(OpenFolder());
    if (!options_.receipts.empty()) LETHE_RETURN_IF_ERROR(ReadRecorded());
    LETHE_RETURN_IF_ERROR(BatchPipeline<MessageBatch>(*this, threads == 1 ? 1 : 4).Run(threads));
    MessageBatch none;
    LETHE_RETURN_IF_ERROR(source_->Locate(none));  // returns an error of the last batch
    release_.is_at_end = true;
    for (auto& [id, entry] : shards_) {
      LETHE_RETURN_IF_ERROR(entry.loop->Commit());
      if (recorded_) {
        LETHE_RETURN_IF_ERROR(
            entry.shard->CheckRecorded({std::numeric_limits<std::int64_t>::max()}));
      }
      if (entry.folder) LETHE_RETURN_IF_ERROR(entry.folder->state().WaitForWrites());
    }
    if (recorded_) LETHE_RETURN_IF_ERROR(recorded_->CheckEnd());
    LETHE_RETURN_IF_ERROR(series_);
    ReplayResult result = Collect();
    result.seconds = Since(start);
    if (WantsRegret()) {
      result.paid = evaluation_.Paid();
      result.comparator = evaluation_.Comparator();
    }
    if (WantsEstimate()) {
      result.estimated_regret = evaluation_.EstimatedRegret();
      result.regret_sample = evaluation_.RegretSample();
    }
    return result;
  }

 private:
  // A lookup that counts the shards that hold or have forgotten events of the person whom a request
  // names. A replay has all shards in one thread, so it asks them directly.
  class HolderLookup final : public RequestLookup {
   public:
    explicit HolderLookup(const Replayer& replayer) : replayer_(replayer) {}
    Status Before(const MessageBatch& batch, std::size_t i,
                  std::optional<LookupResult>& result) override {
      result = replayer_.HoldersOf(batch.shard(i), batch.item(i));
      return Status::Ok();
    }

   private:
    const Replayer& replayer_;
  };
  // Makes the last commits synced: the result files release the models, and a released model must
  // survive a crash of the machine.
  struct Release final : LoopRelease {
    bool NeedsSync() override { return is_at_end; }
    bool is_at_end = false;
  };

  struct Entry {
    MemoryState memory;
    MemoryPayloads memory_payloads;
    std::unique_ptr<ShardFolder> folder;  // with options.state, instead of the two above
    Payloads* payloads = nullptr;
    std::unique_ptr<Shard> shard;
    std::optional<ShardLoop> loop;           // of the shard
    RecordedDecisions* decisions = nullptr;  // with options.receipts
  };

  // The comparator is solved with a dense Hessian of one output, and hashed models are too large
  // for that.
  bool CanSolve() const {
    return !IsSparse(plan_.spec) && plan_.spec.model.loss != LossKind::kSoftmax;
  }
  bool WantsRegret() const { return options_.regret && CanSolve(); }
  bool WantsEstimate() const {
    return !options_.regret && options_.regret_sample > 0 && CanSolve();
  }

  double Since(std::int64_t start_ns) {
    return static_cast<double>(clock_.MonotonicNs() - start_ns) * 1e-9;
  }

  // Noise is drawn once for a state, so a replay never goes on with a state that exists.
  Status OpenFolder() {
    std::error_code ignored;
    if (std::filesystem::exists(options_.state, ignored) &&
        !std::filesystem::is_empty(options_.state, ignored)) {
      return {ErrorCode::kInput, "--state: " + options_.state + " is not empty; name a new folder"};
    }
    auto folder = StateFolder::Open(options_.state);
    if (!folder.ok()) return folder.status();
    folder_ = std::move(folder).value();
    return Status::Ok();
  }

  Status ReadRecorded() {
    auto recorded =
        RecordedChain::Read(options_.receipts, ConfigSha256(plan_.spec, hasher_), hasher_);
    if (!recorded.ok()) return recorded.status();
    recorded_ = std::move(recorded).value();
    sink_.CompareWith(recorded_.get());
    return Status::Ok();
  }

  // Guesses how many events a shard will learn, so that its index need not grow. It assumes that
  // all shards are in this batch.
  std::int64_t ExpectedOfAShard(const MessageBatch& batch) const {
    std::set<ShardId> shards;
    for (std::size_t i = 0; i < batch.size(); ++i) shards.insert(batch.shard(i));
    return source_->ExpectedMessages() / static_cast<std::int64_t>(shards.size());
  }

  Status Open(ShardId id, std::int64_t expected, Entry& entry) {
    if (id.value >= plan_.shards) {
      return {ErrorCode::kInput, "a record is of partition " + std::to_string(id.value) +
                                     ", and the budget was divided for " +
                                     std::to_string(plan_.shards) +
                                     "; say with --partitions how many the topic had"};
    }
    if (folder_ != nullptr) {
      auto folder = ShardFolder::Open(*folder_, id, *random_, hasher_);
      if (!folder.ok()) return folder.status();
      entry.folder = std::move(folder).value();
      entry.folder->state().Reserve(expected);
    }
    DurableState* const durable = entry.folder ? &entry.folder->state() : nullptr;
    State& state = durable != nullptr ? static_cast<State&>(*durable) : entry.memory;
    entry.payloads =
        durable != nullptr ? static_cast<Payloads*>(&durable->payloads()) : &entry.memory_payloads;
    entry.shard = std::make_unique<Shard>(
        plan_, entry.folder ? entry.folder->identity() : ShardIdentity::New(id, *random_),
        ShardPorts{state, *entry.payloads, sink_, evaluation_, hasher_, *random_});
    if (recorded_) {
      const auto decisions = recorded_->Of(id, entry.shard->Report().state_id,
                                           plan_.spec.noise.source == NoiseKind::kSeeded);
      if (!decisions.ok()) return decisions.status();
      entry.decisions = decisions.value();
      entry.shard->Obey(entry.decisions);
    }
    entry.loop.emplace(
        ShardLoop::Ports{.shard = *entry.shard,
                         .clock = clock_,
                         .lookup = holders_,
                         .output = no_output_,
                         .release = release_,
                         .observer = no_observer_,
                         .state = durable},
        CommitPolicy{.max_records = durable != nullptr ? options_.commit_events
                                                       : std::numeric_limits<std::int64_t>::max()});
    return Status::Ok();
  }

  // The number of shards that hold or have forgotten events of the person whom a request names;
  // none if the promise does not depend on it.
  std::optional<LookupResult> HoldersOf(ShardId shard, const Item& item) const {
    const auto* request = std::get_if<const Request*>(&item);
    if (plan_.shards == 1 || plan_.spec.forgetting.guarantee == Guarantee::kJoint ||
        request == nullptr || !(*request)->subject) {
      return std::nullopt;
    }
    LookupResult lookup{.searched = {shard}, .passed_on = {}, .pending = {}, .holders = 1};
    for (const auto& [id, entry] : shards_) {
      if (id == shard) continue;
      lookup.holders += entry.shard->Find(**request) != Membership::kUnknown ? 1 : 0;
    }
    return lookup;
  }

  Status Process(Entry& entry, MessageBatch& batch, std::size_t i) {
    Shard& shard = *entry.shard;
    const bool may_draw = !std::holds_alternative<const AdmittedLearn*>(batch.item(i)) ||
                          shard.waiting() > 0 || shard.has_news();
    const std::int64_t start = may_draw ? clock_.MonotonicNs() : 0;
    const std::int64_t draws = shard.counters().draws;
    if (entry.decisions != nullptr) {
      const TimeMs arrival = entry.decisions->ArrivalAt(batch.position(i).offset);
      if (arrival != kNoTime) batch.SetArrival(i, arrival);
    }
    LETHE_RETURN_IF_ERROR(entry.loop->Take(batch, i, kNoTime));
    LETHE_RETURN_IF_ERROR(entry.loop->Obey());
    const auto committed = entry.loop->CommitIfDue(false);
    if (!committed.ok()) return committed.status();
    if (shard.counters().draws == draws) return Status::Ok();
    const double seconds = Since(start);
    deletion_seconds_ += seconds;
    // The row of the deletion is the last row, or the last but one if an update has learned since.
    const auto row = std::find_if(kept_.rbegin(), kept_.rend(),
                                  [](const SeriesRow& kept) { return kept.sigma.has_value(); });
    if (row != kept_.rend()) row->seconds = seconds;
    return Status::Ok();
  }

  Result<bool> Read(MessageBatch& batch) override {
    auto found = source_->Read(batch);
    if (!found.ok()) return found;
    read_ += static_cast<std::int64_t>(batch.size());
    options_.on_progress(read_);
    return found;
  }

  void Prepare(MessageBatch& batch) override { batch.Admit(); }

  // Remembers the last shard, because most messages follow a message of the same shard.
  Entry& EntryOf(ShardId id) {
    if (last_ == nullptr || last_->first != id) last_ = &*shards_.try_emplace(id).first;
    return last_->second;
  }

  void Prefetch(const MessageBatch& batch, std::size_t i) {
    if (i >= batch.size() || last_ == nullptr || last_->first != batch.shard(i)) return;
    last_->second.loop->Prefetch(batch, i);
  }

  Status Finish(MessageBatch& batch) override {
    LETHE_RETURN_IF_ERROR(source_->Locate(batch));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const ShardId id = batch.shard(i);
      Entry& entry = EntryOf(id);
      if (!entry.shard) LETHE_RETURN_IF_ERROR(Open(id, ExpectedOfAShard(batch), entry));
      Prefetch(batch, i + Shard::kPrefetchAhead);
      if (!batch.has_item(i)) {
        const auto admission =
            batch.admissions().try_emplace(id, entry.shard->NewAdmission()).first;
        batch.AdmitNow(i, admission->second);
      }
      LETHE_RETURN_IF_ERROR(Process(entry, batch, i));
    }
    finished_ += static_cast<std::int64_t>(batch.size());
    if (!Interrupted()) return Status::Ok();
    return InterruptedStatus("stopped after " + std::to_string(finished_) +
                             " events; no results were written");
  }

  ReplayResult Collect() {
    ReplayResult result;
    for (const auto& [id, entry] : shards_) {
      const Shard& shard = *entry.shard;
      ShardReport report = shard.Report();
      result.total.Add(shard.counters());
      if (const auto bound = shard.regret_bound()) {
        result.regret_bound = result.regret_bound.value_or(0) + *bound;
      }
      const std::int64_t events_behind = EventsBehind(report);
      result.shards.push_back({.id = id,
                               .state_id = std::move(report.state_id),
                               .counters = shard.counters(),
                               .model_version = shard.model_version(),
                               .clean_from = shard.clean_from(),
                               .half_life = shard.unlearner().HalfLife(),
                               .waiting = shard.waiting(),
                               .learn_gradients = shard.unlearner().LearnGradients(),
                               .deletion_gradients = shard.unlearner().DeletionGradients(),
                               .payload_bytes = entry.payloads->bytes(),
                               .held_bytes = shard.unlearner().HeldBytes(),
                               .weights = std::move(report.weights),
                               .events_behind = events_behind,
                               .lacks_clock = report.lacks_clock,
                               .chain_entries = report.chain_entries,
                               .chain_head = std::move(report.chain_head)});
    }
    result.bad_records = evaluation_.bad_records();
    result.uncertified = evaluation_.uncertified();
    if (evaluation_.why_not() != nullptr) result.why_not = evaluation_.why_not();
    result.unknown_members = evaluation_.unknown_members();
    result.quality = evaluation_.quality();
    result.mean_loss = result.quality.mean_loss;
    result.accuracy = result.quality.accuracy;
    result.deletion_seconds = deletion_seconds_;
    result.series = std::move(kept_);
    result.config_sha256 = ConfigSha256(plan_.spec, hasher_);
    return result;
  }

  const Plan& plan_;
  const ReplayOptions& options_;
  SystemClock clock_;
  SodiumHasher hasher_;
  std::unique_ptr<RandomSource> random_;
  std::unique_ptr<StateFolder> folder_;      // with options.state
  std::unique_ptr<RecordedChain> recorded_;  // with options.receipts
  FileSink sink_;
  Evaluation evaluation_;
  Status series_;  // the first error of writing rows
  bool is_first_row_ = true;
  std::vector<SeriesRow> kept_;
  HolderLookup holders_{*this};
  LoopOutput no_output_;
  LoopObserver no_observer_;
  Release release_;
  std::map<ShardId, Entry> shards_;
  std::pair<const ShardId, Entry>* last_ = nullptr;  // the entry of EntryOf's last call
  BatchSource* source_ = nullptr;
  std::int64_t read_ = 0;      // records
  std::int64_t finished_ = 0;  // records
  double deletion_seconds_ = 0;
};

Result<ReplayResult> ReplaySource(const Plan& plan, const ReplayOptions& options,
                                  BatchSource& source, int threads) {
  std::unique_ptr<ResultFiles> files;
  if (options.out) {
    auto opened = ResultFiles::Open(*options.out);
    if (!opened.ok()) return opened.status();
    files = std::move(opened).value();
    LETHE_RETURN_IF_ERROR(files->series().WriteLine(kSeriesHeader));
  }
  auto result = Replayer(plan, options, files.get()).Run(source, threads);
  if (!result.ok() || !files) return result;
  LETHE_RETURN_IF_ERROR(files->Close(SummaryJson(plan, result.value(), SodiumHasher()),
                                     ModelJson(plan, result.value(), SodiumHasher())));
  return result;
}

}  // namespace

// A batch is large enough that threads seldom wait for each other, and about as large as a
// processor's cache.
std::size_t ReplayBatchSize(const Spec& spec) {
  const std::size_t numbers =
      IsSparse(spec) ? 256 : static_cast<std::size_t>(FeatureDimension(spec));
  return std::clamp<std::size_t>((std::size_t{1} << 15) / numbers, 16, 4096);
}

std::vector<std::string> ReplayResult::WhyNotCertified(const Plan& plan) const {
  std::vector<std::string> reasons = plan.WhyNotCertified();
  if (total.learned + total.updates == 0) {
    reasons.push_back("nothing was learned, so there is nothing to certify");
  }
  if (why_not) {
    reasons.push_back(std::to_string(uncertified) + " of " + std::to_string(total.draws) +
                      " deletions: " + *why_not);
  }
  return reasons;
}

Result<ReplayResult> Replay(const Plan& plan, BatchSource& source, const ReplayOptions& options) {
  return ReplaySource(plan, options, source, 1);
}

Result<ReplayResult> ReplayFile(const Plan& plan, const std::string& path,
                                const ReplayOptions& options, bool show_progress) {
  auto stream = RecordedStream::Open(path);
  if (!stream.ok()) return stream.status();
  stream.value()->SetBatchSize(options.batch > 0 ? options.batch : ReplayBatchSize(plan.spec));
  SystemClock clock;
  Progress progress(show_progress, clock);
  ReplayOptions watched = options;
  const std::optional<std::int64_t> total = stream.value()->bytes_total();
  watched.on_progress = [&](std::int64_t records) {
    progress.Show(records, stream.value()->bytes_read(), total);
  };
  // A pipe may be silent for ever. Ctrl-C interrupts a read in the main thread only, so a pipe is
  // read in one thread.
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(path, ignored);
  return ReplaySource(plan, watched, *stream.value(), is_file ? 2 : 1);
}

}  // namespace lethe
