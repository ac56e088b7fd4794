#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "app/config/config.h"
#include "app/pipeline/batch_pipeline.h"
#include "app/pipeline/cross_shard_lookup.h"
#include "app/pipeline/model_release.h"
#include "app/pipeline/shard_loop.h"
#include "app/run/eraser_thread.h"
#include "app/run/live_probe.h"
#include "app/run/publisher.h"
#include "app/run/snapshots.h"
#include "app/run/startup_fence.h"
#include "connectors/batch_source.h"
#include "connectors/kafka/consumer.h"
#include "engine/ports/clock.h"
#include "metrics/pipeline_metrics.h"
#include "metrics/published_state.h"
#include "state/shard_folder.h"

namespace lethe {

// The objects that all workers of a process share. They must outlive the workers.
struct WorkerContext {
  const Config& config;
  const Plan& plan;
  const Hasher& hasher;
  RandomSource& random;
  Clock& clock;
  PublishedState& published;
  PipelineMetrics& metrics;
  Publisher& publisher;
  ReceiptSigner& signer;
  Router& router;
  const std::atomic<bool>& stopping;
};

// The worker of one shard in a live process: it starts the shard from its state, runs its loop on a
// Kafka partition, and connects the loop to topics, metrics, HTTP and snapshots.
//
// Run uses three threads: the calling one takes the batches, a helper reads and decodes while the
// first waits for the disk, and an EraserThread erases. Measure may be called from any thread
// during Run; all other functions are for one thread. Owns the folder of the shard and borrows the
// context. After an error other than kUnavailable of Prepare the worker must not be used again.
class ShardWorker final : private PipelineStages<LoopBatch>,
                          private LoopRelease,
                          private LoopObserver,
                          private ReleasePort {
 public:
  ShardWorker(const WorkerContext& context, std::unique_ptr<ShardFolder> folder);

  // The first call. Loads the state, lets the fence confirm it, and publishes the entries of the
  // chain that were committed and not yet published. After kUnavailable it may be called again.
  Status Prepare(StartupFence& fence);
  // The partition, and the offset that the consumer has to read from. After Prepare.
  Assignment assignment() const;
  ShardId id() const { return shard_.id(); }
  // The last record that the state has read; none for a new state. Before Run.
  std::optional<ReadPlace> last_record() const {
    if (shard_.counters().records == 0) return std::nullopt;
    return ReadPlace{{shard_.next().value - 1}, shard_.last_time()};
  }

  // Runs until the process is to stop, everything before `until` is read, or an error. Commits at
  // the end unless there was an error.
  Status Run(KafkaConsumer& consumer, std::optional<Offset> until = std::nullopt);

  // Sets the metrics of the consumer and the store: lag, queue, bytes on disk.
  void Measure(const KafkaConsumer& consumer);
  // After Run: flushes the store, so that the next start has no log to replay.
  Status Close() { return folder_->store().Flush(); }

 private:
  // Shows and publishes the entries of the chain that were committed by an earlier process.
  Status PublishBacklog();
  // Adds an entry to the chain for each change of the signing key since the chain last named it.
  Status AnnounceKey();

  Result<bool> Read(LoopBatch& batch) override;
  void Prepare(LoopBatch& batch) override { batch.messages.Admit(); }
  Status Finish(LoopBatch& batch) override;

  void BeforeCommit();
  // Entries that an earlier process has written may never have been synced: the process died before
  // the sync, or the sync failed. They are published only after a synced commit.
  bool NeedsSync() override {
    const bool has_backlog = backlog_ && backlog_->first_missing < backlog_->end;
    return has_backlog || release_.NeedsSync(context_.clock.MonotonicNs());
  }
  Status AfterCommit(bool has_news) override;
  Status WhenIdle() override { return release_.ShowLater(context_.clock.MonotonicNs()); }

  void OnAhead() override { metrics_.AddAhead(); }
  void OnMisrouted() override { metrics_.AddMisrouted(); }
  void OnDeadLetter(Reason why) override { metrics_.AddDeadLetter(why); }
  void OnCommit(bool has_news, double seconds) override;

  Status Mark(ModelVersion version) override;
  Status WaitForWrites() override { return folder_->state().WaitForWrites(); }
  Status DestroySnapshotsWith(EventIndex first) override { return snapshots_.DestroyWith(first); }
  Status AddSnapshot() override;
  void Show() override;
  Status SendModel() override;
  Status SendCleanFrom() override;
  Status WaitForModels() override { return context_.publisher.WaitForModels(id()); }
  std::string ModelDocument() const;

  const WorkerContext context_;
  const std::unique_ptr<ShardFolder> folder_;
  LiveProbe probe_;
  Shard shard_;
  CrossShardLookup lookup_;
  ShardLoop loop_;
  PipelineMetrics::ShardMetrics& metrics_;
  Snapshots snapshots_;
  ModelRelease release_;

  // The entries [0, end) of the chain were committed by an earlier process. The receipts topic does
  // not have those from first_missing on. None after PublishBacklog.
  struct Backlog {
    std::uint64_t first_missing = 0;
    std::uint64_t end = 0;
  };
  std::optional<Backlog> backlog_;
  bool has_resumed_ = false;
  bool is_record_noted_ = false;  // this process has called NoteKnownRecord
  bool is_clock_missed_ = false;  // the log says that nothing can expire without timestamps
  Offset read_;                   // every message before it was read

  // Set by Run, and valid while it runs.
  KafkaConsumer* consumer_ = nullptr;
  BatchSource* source_ = nullptr;
  std::optional<Offset> until_;
  BatchPipeline<LoopBatch>* pipeline_ = nullptr;
  EraserThread* eraser_ = nullptr;
};

}  // namespace lethe
