#include "app/replay/replay.h"

#include <cstdio>

#include "app/commands/command.h"
#include "app/progress.h"
#include "app/replay/result_files.h"
#include "connectors/file/recorded_stream.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "connectors/system/system_clock.h"
#include "engine/json.h"
#include "state/memory_payloads.h"
#include "state/memory_state.h"

namespace lethe {
namespace {

// Writes receipts and notices to their files, if there are any, and follows each chain.
class ChainSink final : public Sink {
 public:
  struct Chain {
    std::int64_t entries = 0;
    std::string head = kChainStart;
  };

  ChainSink(const Hasher& hasher, ResultFiles* files) : hasher_(hasher), files_(files) {}

  Status Publish(ShardId shard, ChainKind kind, std::string_view bytes) override {
    Chain& chain = chains_[shard];
    const Digest digest = hasher_.Sha256(bytes);
    ++chain.entries;
    chain.head = ToHex(digest.data(), digest.size());
    if (files_ == nullptr) return Status::Ok();
    return (kind == ChainKind::kReceipt ? files_->receipts() : files_->notices()).WriteLine(bytes);
  }

  const Chain& chain(ShardId shard) { return chains_[shard]; }

 private:
  const Hasher& hasher_;
  ResultFiles* files_;
  std::map<ShardId, Chain> chains_;
};

class Replayer {
 public:
  Replayer(const Plan& plan, const ReplayOptions& options, ResultFiles* files)
      : plan_(plan),
        options_(options),
        random_(MakeRandom(plan.spec.noise)),
        sink_(hasher_, files),
        evaluation_(Loss(plan.spec.model.loss, plan.spec.model.huber_width), options.series_every,
                    [this, files](const std::string& row) {
                      if (files == nullptr || !series_.ok()) return;
                      series_ = files->series().WriteLine(row);
                    }) {
    if (WantsRegret()) evaluation_.RecordRegret(plan.constants);
    if (WantsEstimate()) evaluation_.SampleRegret(plan.constants, options.regret_sample);
  }

  Result<ReplayResult> Run(Source& source) {
    const std::int64_t start = clock_.MonotonicNs();
    LETHE_RETURN_IF_ERROR(ReadAll(source));
    for (const auto& [id, entry] : shards_) LETHE_RETURN_IF_ERROR(entry.shard->Commit());
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
  struct Entry {
    std::unique_ptr<MemoryState> state;
    std::unique_ptr<MemoryPayloads> payloads;
    std::unique_ptr<Shard> shard;
  };

  // The comparator is solved densely, which hashed models are too large for.
  bool CanSolve() const { return !plan_.spec.model.hash_bits; }
  bool WantsRegret() const { return options_.regret && CanSolve(); }
  bool WantsEstimate() const {
    return !options_.regret && options_.regret_sample > 0 && CanSolve();
  }

  double Since(std::int64_t start_ns) {
    return static_cast<double>(clock_.MonotonicNs() - start_ns) * 1e-9;
  }

  Shard& ShardFor(ShardId id) {
    Entry& entry = shards_[id];
    if (!entry.shard) {
      entry.state = std::make_unique<MemoryState>();
      entry.payloads = std::make_unique<MemoryPayloads>();
      entry.shard = std::make_unique<Shard>(
          plan_, ShardIdentity::New(id, *random_),
          ShardPorts{*entry.state, *entry.payloads, sink_, evaluation_, hasher_, *random_});
    }
    return *entry.shard;
  }

  Status Process(const Record& record) {
    Shard& shard = ShardFor(record.shard);
    const std::int64_t start = clock_.MonotonicNs();
    const std::int64_t draws = shard.counters().draws;
    LETHE_RETURN_IF_ERROR(shard.Process(record));
    if (shard.has_news()) LETHE_RETURN_IF_ERROR(shard.Commit());
    if (shard.counters().draws != draws) deletion_seconds_ += Since(start);
    return Status::Ok();
  }

  Status ReadAll(Source& source) {
    std::vector<Record> batch;
    std::int64_t records = 0;
    while (true) {
      const auto count = source.Read(batch, options_.batch);
      if (!count.ok()) return count.status();
      if (count.value() == 0) return Status::Ok();
      for (std::size_t i = 0; i < count.value(); ++i) LETHE_RETURN_IF_ERROR(Process(batch[i]));
      records += static_cast<std::int64_t>(count.value());
      options_.on_progress(records);
      if (Interrupted()) {
        return InterruptedStatus("stopped after " + std::to_string(records) +
                                 " events; no results were written");
      }
    }
  }

  ReplayResult Collect() {
    ReplayResult result;
    for (const auto& [id, entry] : shards_) {
      const Shard& shard = *entry.shard;
      const ChainSink::Chain& chain = sink_.chain(id);
      result.total.Add(shard.counters());
      if (const auto bound = shard.regret_bound()) {
        result.regret_bound = result.regret_bound.value_or(0) + *bound;
      }
      result.shards.push_back({.id = id,
                               .counters = shard.counters(),
                               .model_version = shard.model_version(),
                               .clean_from = shard.clean_from(),
                               .half_life = shard.unlearner().HalfLife(),
                               .waiting = shard.waiting(),
                               .learn_gradients = shard.unlearner().LearnGradients(),
                               .deletion_gradients = shard.unlearner().DeletionGradients(),
                               .payload_bytes = entry.payloads->bytes(),
                               .held_bytes = shard.unlearner().HeldBytes(),
                               .weights = shard.unlearner().model(),
                               .chain_entries = chain.entries,
                               .chain_head = chain.head});
    }
    result.bad_records = evaluation_.bad_records();
    result.uncertified = evaluation_.uncertified();
    if (evaluation_.why_not() != nullptr) result.why_not = evaluation_.why_not();
    result.mean_loss = evaluation_.mean_loss();
    result.accuracy = evaluation_.accuracy();
    result.deletion_seconds = deletion_seconds_;
    const Digest digest = hasher_.Sha256(CertificatePart(plan_.spec));
    result.config_sha256 = ToHex(digest.data(), digest.size());
    return result;
  }

  const Plan& plan_;
  const ReplayOptions& options_;
  SystemClock clock_;
  SodiumHasher hasher_;
  std::unique_ptr<RandomSource> random_;
  ChainSink sink_;
  Evaluation evaluation_;
  Status series_;  // of writing rows
  std::map<ShardId, Entry> shards_;
  double deletion_seconds_ = 0;
};

}  // namespace

std::vector<std::string> ReplayResult::WhyNotCertified(const Plan& plan) const {
  std::vector<std::string> reasons = plan.WhyNotCertified();
  if (why_not) {
    reasons.push_back(std::to_string(uncertified) + " of " + std::to_string(total.draws) +
                      " deletions: " + *why_not);
  }
  return reasons;
}

Result<ReplayResult> Replay(const Plan& plan, Source& source, const ReplayOptions& options) {
  std::unique_ptr<ResultFiles> files;
  if (options.out) {
    auto opened = ResultFiles::Open(*options.out);
    if (!opened.ok()) return opened.status();
    files = std::move(opened).value();
    LETHE_RETURN_IF_ERROR(files->series().WriteLine(Evaluation::kHeader));
  }
  auto result = Replayer(plan, options, files.get()).Run(source);
  if (!result.ok() || !files) return result;
  LETHE_RETURN_IF_ERROR(files->Close(SummaryJson(plan, result.value()),
                                     ModelJson(plan, result.value(), SodiumHasher())));
  return result;
}

Result<ReplayResult> ReplayFile(const Plan& plan, const std::string& path,
                                const ReplayOptions& options, bool show_progress) {
  auto stream = RecordedStream::Open(path);
  if (!stream.ok()) return stream.status();
  SystemClock clock;
  Progress progress(show_progress, clock);
  ReplayOptions watched = options;
  watched.on_progress = [&](std::int64_t records) {
    progress.Show(records, stream.value()->bytes_read(), stream.value()->bytes_total());
  };
  return Replay(plan, *stream.value(), watched);
}

}  // namespace lethe
