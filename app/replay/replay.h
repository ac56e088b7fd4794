#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/replay/evaluation.h"
#include "connectors/batch_source.h"
#include "engine/base/status.h"
#include "engine/plan.h"
#include "engine/shard/shard.h"

namespace lethe {

// The options of a replay.
struct ReplayOptions {
  std::optional<std::string> out;  // folder for the results; none: nothing is written
  std::string state;  // a new folder for the state, as a daemon has it; empty: in memory
  // Receipts and notices of an earlier run of the stream, whose decisions are obeyed; empty: none
  // (RecordedChain::Read says what it may be).
  std::string receipts;
  std::int64_t commit_events = 4096;  // with a state: records between two commits
  std::int64_t series_every = 1000;
  bool keep_series = false;  // in the result, for a chart
  std::size_t batch = 0;     // records per read; 0: ReplayBatchSize. Results do not depend on it
  bool regret = false;  // the exact regret of a dense model: all payloads, a solve per deletion
  std::int64_t regret_sample = 0;  // without `regret`, if not 0: events of a shard for an estimate
  // Called between batches with the records read so far, by one thread at a time.
  std::function<void(std::int64_t records)> on_progress = [](std::int64_t) {};
};

// One shard at the end of the recording.
struct ShardResult {
  ShardId id;
  std::string state_id;
  Counters counters;
  ModelVersion model_version;
  ModelVersion clean_from;
  double half_life = 0;
  std::size_t waiting = 0;  // requests not yet effective when the stream ended
  std::int64_t learn_gradients = 0;
  std::int64_t deletion_gradients = 0;
  std::int64_t payload_bytes = 0;
  std::int64_t held_bytes = 0;  // by the mode, besides payloads
  Vector weights;
  std::int64_t events_behind = 0;  // by which the weights count in the average
  bool lacks_clock = false;        // as in ShardReport
  std::int64_t chain_entries = 0;
  std::string chain_head;  // SHA-256 of the last entry
};

// The outcome of a replay.
struct ReplayResult {
  std::vector<ShardResult> shards;  // in order of id
  Counters total;
  BadRecords bad_records;
  std::int64_t unknown_members = 0;  // of learned events; Lethe does not read them
  std::optional<double> mean_loss;
  std::optional<double> accuracy;
  Quality quality;                     // every figure of the predictions, those two included
  std::optional<double> regret_bound;  // of the passive modes, summed over shards
  std::optional<double> paid;          // with options.regret: the sum of f_t(z_t)
  std::optional<double> comparator;    // with options.regret: the cost of the changing comparator
  // With options.regret_sample: an estimate of the regret, and the number of events that it uses.
  std::optional<double> estimated_regret;
  std::optional<std::int64_t> regret_sample;
  std::int64_t uncertified = 0;  // deletions that the mode did not certify at run time
  std::optional<std::string> why_not;
  std::string config_sha256;
  double seconds = 0;
  double deletion_seconds = 0;    // spent on records that made a deletion effective
  std::vector<SeriesRow> series;  // with options.keep_series

  // Why deletions of this run were not certified; empty if all were.
  std::vector<std::string> WhyNotCertified(const Plan& plan) const;

  std::optional<double> regret() const {
    return paid && comparator ? std::optional(*paid - *comparator) : estimated_regret;
  }
};

// How many records a replay reads at a time by default.
std::size_t ReplayBatchSize(const Spec& spec);

// Runs records through the engine; every partition is a shard. The plan must be for as many shards
// as the recorded topic had partitions, and a record of a higher partition is an error. With `out`,
// the result files get their names at the end; after an error there are none. Borrows the source.
// Uses the calling thread alone. kInterrupted after a signal.
Result<ReplayResult> Replay(const Plan& plan, BatchSource& source, const ReplayOptions& options);

// The number of partitions in the recorded stream at `path`: one more than the highest. It is 1 for
// bare events, and for a pipe, which cannot be read twice.
Result<std::int64_t> PartitionsIn(const std::string& path);

// Replays the recorded stream at `path` (- is stdin), with a progress line on stderr if wanted. A
// file is read in two threads.
Result<ReplayResult> ReplayFile(const Plan& plan, const std::string& path,
                                const ReplayOptions& options, bool show_progress);

}  // namespace lethe
