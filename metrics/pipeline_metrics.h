#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/event.h"
#include "engine/types.h"
#include "metrics/board.h"

namespace lethe {

class Families;

// Figures of the running pipeline that no commit covers, and the exposition of all metrics. The
// counters here begin with the process; those of the reports go on where the state left off.
// Thread-safe.
class PipelineMetrics {
 public:
  // Handles of one shard, cheap enough for its hot loop. Thread-safe. Gauges are shown from the
  // first time they are set, counters from 0.
  class ShardMetrics {
   public:
    explicit ShardMetrics(ShardId id);
    ~ShardMetrics();

    void SetLag(std::int64_t records);
    void SetQueue(std::int64_t records);
    void ObserveCommit(bool is_deletion, double seconds);
    // From the request's record to the clean model, or to the bytes gone.
    void ObserveErasure(bool erased, double seconds);
    void AddDeadLetter(Reason reason);
    void AddMisrouted();
    void AddRestore();
    void SetStateBytes(const std::string& family, std::int64_t bytes);
    void SetCommitTime(double unix_seconds);

    std::optional<std::int64_t> lag() const;
    std::optional<std::int64_t> queue() const;
    std::optional<double> commit_time() const;

   private:
    friend class PipelineMetrics;
    void AddTo(Families& families) const;

    struct Values;
    const std::unique_ptr<Values> values_;
  };

  // `board` outlives this.
  PipelineMetrics(const Board& board, std::string version);
  ~PipelineMetrics();

  // Made when first asked for; the reference stays valid.
  ShardMetrics& shard(ShardId id);
  // Nothing when nobody asked for the shard yet.
  const ShardMetrics* find(ShardId id) const;

  // Bytes free on the disk of the state.
  void SetStateFree(std::int64_t bytes);

  // The whole exposition, text format 0.0.4: the committed reports, these figures, the process.
  std::string Text() const;

  const std::string& version() const { return version_; }
  double uptime_seconds() const;

 private:
  const Board& board_;
  const std::string version_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::map<ShardId, std::unique_ptr<ShardMetrics>> shards_;
  std::optional<std::int64_t> state_free_;
};

}  // namespace lethe
