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

struct ReplayOptions {
  std::optional<std::string> out;  // folder for the results; none: nothing is written
  std::string state;  // a new folder to keep the state in, as a daemon does; empty: in memory
  std::int64_t commit_events = 4096;  // with a state: records between two commits
  std::int64_t series_every = 1000;
  bool keep_series = false;  // in the result, for a chart
  std::size_t batch = 0;     // records per read, 0: as suits the model; results do not change
  bool regret = false;       // exactly (dense models): keeps all payloads, one solve per deletion
  std::int64_t regret_sample = 0;  // otherwise, if not 0: estimated from so many events of a shard
  // Called between batches with the records read so far, by one thread at a time.
  std::function<void(std::int64_t records)> on_progress = [](std::int64_t) {};
};

// The end of one shard's run.
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
  std::int64_t chain_entries = 0;
  std::string chain_head;  // SHA-256 of the last entry
};

struct ReplayResult {
  std::vector<ShardResult> shards;  // in order of id
  Counters total;
  BadRecords bad_records;
  std::optional<double> mean_loss;
  std::optional<double> accuracy;
  std::optional<double> regret_bound;  // of the passive modes, summed over shards
  std::optional<double> paid;          // with options.regret: the sum of f_t(z_t)
  std::optional<double> comparator;    // and what the changing comparator would have paid
  // With options.regret_sample instead of these: an estimate, and on how many events it rests.
  std::optional<double> estimated_regret;
  std::optional<std::int64_t> regret_sample;
  std::int64_t uncertified = 0;  // deletions that the mode did not certify at run time
  std::optional<std::string> why_not;
  std::string config_sha256;
  double seconds = 0;
  double deletion_seconds = 0;    // in records that made a deletion effective
  std::vector<SeriesRow> series;  // with options.keep_series

  // Why deletions of this run were not certified; empty if all were.
  std::vector<std::string> WhyNotCertified(const Plan& plan) const;

  std::optional<double> regret() const {
    return paid && comparator ? std::optional(*paid - *comparator) : estimated_regret;
  }
};

// How many records a replay reads at a time, unless it is told.
std::size_t ReplayBatchSize(const ModelSpec& model);

// Runs records through the engine: every partition is a shard. The plan is that of so many shards
// as the recorded topic had partitions; a record of a partition beyond is an error. With `out`, the
// result files appear at the end, all of them or none.
Result<ReplayResult> Replay(const Plan& plan, BatchSource& source, const ReplayOptions& options);

// How many partitions the recorded stream at `path` speaks of: one more than the highest. Bare
// events are of one, and a pipe, which cannot be read twice, is taken to be.
Result<std::int64_t> PartitionsIn(const std::string& path);

// Replays the recorded stream at `path` (- is stdin), with a progress line on stderr if wanted.
Result<ReplayResult> ReplayFile(const Plan& plan, const std::string& path,
                                const ReplayOptions& options, bool show_progress);

}  // namespace lethe
