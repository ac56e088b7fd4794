#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "app/config/config.h"
#include "app/run/live_probe.h"
#include "app/run/lookups.h"
#include "app/run/publisher.h"
#include "app/run/releaser.h"
#include "app/run/snapshots.h"
#include "app/run/witness.h"
#include "app/turns.h"
#include "connectors/kafka/consumer.h"
#include "engine/ports/clock.h"
#include "engine/shard_runner.h"
#include "metrics/board.h"
#include "metrics/pipeline_metrics.h"
#include "state/shard_folder.h"

namespace lethe {

// What all workers of a process share. Everything outlives them.
struct WorkerContext {
  const Config& config;
  const Plan& plan;
  const Hasher& hasher;
  RandomSource& random;
  Clock& clock;
  Board& board;
  PipelineMetrics& metrics;
  Publisher& publisher;
  ReceiptSigner& signer;
  Router& router;
  const std::atomic<bool>& stopping;
};

// What was read together, decoded, and admitted as far as that needs no shard.
struct WorkerBatch {
  RecordBatch messages;
  TimeMs arrival = kNoTime;  // when they were read, by the wall clock
  std::optional<Intake> intake;
  AdmittedBatch admitted;  // the learns and updates
  Offset position;         // everything before it is in this batch or an earlier one
};

// One shard of a process: takes batches, learns and forgets, commits, tells. One thread does all of
// it; while that waits for the disk, another one reads and decodes.
class ShardWorker final : private Steps<WorkerBatch>, private CommitHooks, private ReleasePort {
 public:
  ShardWorker(const WorkerContext& context, std::unique_ptr<ShardFolder> folder);

  // Loads the state, lets the witness confirm it, and publishes what was committed and not yet
  // published. The first thing to call; after kUnavailable it may be called again.
  Status Prepare(Witness& witness);
  Assignment assignment() const;
  ShardId id() const { return shard_.id(); }
  // Of the state that was resumed; none for a new one. Before Run.
  std::optional<ReadPlace> last_record() const {
    if (shard_.counters().records == 0) return std::nullopt;
    return ReadPlace{{shard_.next().value - 1}, shard_.last_time()};
  }

  // Until the process is to stop, everything before `until` is read, or an error. Ends with a
  // commit.
  Status Run(KafkaConsumer& consumer, std::optional<Offset> until = std::nullopt);

  // What only a look from outside knows. From any thread.
  void Measure(const KafkaConsumer& consumer);
  // After Run: makes the next start quick.
  Status Close() { return folder_->store().Flush(); }

 private:
  // Shows and publishes the entries of the chain that were committed by an earlier process.
  Status PublishBacklog();
  Status AnnounceKey();
  Status ResumeLookups();
  void NoteOpenLookups();
  void NotePlacement(const Record& record, std::optional<std::string_view> key,
                     const Admitted* admitted);
  Result<bool> Read(WorkerBatch& batch) override;
  void Prepare(WorkerBatch& batch) override;
  Status Finish(WorkerBatch& batch) override;
  Status TakeBatch(WorkerBatch& batch);
  // Lets the clock decide what is due whatever the records' timestamps say.
  Status Tick();
  bool IsCommitDue();
  bool WaitsForDisk();
  Status BeforeCommit() override;
  bool NeedsSync() override { return releaser_.NeedsSync(context_.clock.MonotonicNs()); }
  Status AfterCommit(bool has_news) override;
  Status Mark(ModelVersion version) override;
  Status Settle() override { return folder_->state().Settle(); }
  Status DestroySnapshotsWith(EventIndex first) override { return snapshots_.DestroyWith(first); }
  Status AddSnapshot() override;
  void Show() override;
  Status SendModel() override;
  Status SendCleanFrom() override;
  Status WaitForModels() override { return context_.publisher.WaitForModels(id()); }
  std::string ModelDocument() const;
  double Since(std::int64_t start_ns) const;
  // Erases what is deleted, in a thread of its own.
  void EraseUntilDone();

  const WorkerContext context_;
  const std::unique_ptr<ShardFolder> folder_;
  LiveProbe probe_;
  Shard shard_;
  ShardRunner runner_;
  Lookups lookups_;
  PipelineMetrics::ShardMetrics& metrics_;
  Snapshots snapshots_;
  Releaser releaser_;

  // The entries of the chain that an earlier process has committed: those that are to be shown,
  // and among them those that are not published yet. None once that is done.
  struct Backlog {
    std::uint64_t first_missing = 0;
    std::uint64_t end = 0;
  };
  std::optional<Backlog> backlog_;
  bool has_resumed_ = false;
  bool is_record_noted_ = false;         // by this process
  KafkaConsumer* consumer_ = nullptr;    // of Run
  std::optional<Offset> until_;          // likewise
  Turns<WorkerBatch>* turns_ = nullptr;  // likewise
  Offset read_;                          // all before it is
  std::string open_note_;                // as it is in the state
  bool is_anywhere_ = false;             // the same
  std::int64_t uncommitted_ = 0;         // records
  std::int64_t dead_letters_ = 0;        // on their way since the last commit
  std::int64_t first_uncommitted_ns_ = 0;
  std::int64_t commit_start_ns_ = 0;
  std::int64_t next_news_ns_ = 0;  // when the next receipts and notices may be committed
  std::int64_t last_record_ns_ = 0;
  std::int64_t ticked_ns_ = 0;
  std::atomic<bool> eraser_failed_{false};
  std::mutex eraser_mutex_;
  std::condition_variable eraser_wakes_;
  bool is_done_ = false;  // under eraser_mutex_
  Status eraser_status_;  // when it failed
};

}  // namespace lethe
