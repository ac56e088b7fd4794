#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/base/types.h"
#include "engine/ports/event.h"
#include "engine/ports/probe.h"
#include "metrics/http_metrics.h"
#include "metrics/published_state.h"

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

    void SetLag(std::optional<std::int64_t> records);  // none: not known, or not any more
    void SetQueue(std::int64_t records);
    void ObserveCommit(bool is_deletion, double seconds);
    // A request has come to a stage, in whole seconds since it was received (Probe::OnStage).
    void ObserveErasure(ErasureStage stage, std::int64_t seconds);
    void AddDeadLetter(Reason reason);
    void AddMisrouted();
    // A record whose timestamp lies in the future.
    void AddAhead();
    void AddRestore();
    void AddModelTooLarge();
    void SetStateBytes(const std::string& family, std::int64_t bytes);
    // Shown in whole seconds, rounded up: a finer time would tell how long a deletion took to
    // compute, which depends on data.
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

  // `published` outlives this.
  PipelineMetrics(const PublishedState& published, std::string version);
  ~PipelineMetrics();

  // Made when first asked for; the reference stays valid.
  ShardMetrics& shard(ShardId id);
  // Nothing when nobody asked for the shard yet.
  const ShardMetrics* find(ShardId id) const;

  // Bytes free on the disk of the state.
  void SetStateFree(std::int64_t bytes);
  // Of the source topic.
  void SetPartitions(std::int64_t count);

  struct Brokers {
    std::optional<std::int64_t> connected;
    std::optional<double> last_contact;  // seconds since 1970
  };
  void SetBrokers(const Brokers& brokers);
  Brokers brokers() const;

  // Messages that wait for a broker, and since when the oldest does, in seconds since 1970.
  void SetPublishing(std::int64_t pending, std::optional<double> oldest);

  HttpMetrics& http() { return http_; }

  // The whole exposition, text format 0.0.4: the committed reports, these figures, the process.
  std::string Text() const;

  const std::string& version() const { return version_; }
  double uptime_seconds() const;

 private:
  void AddProcessWide(Families& families) const;

  const PublishedState& published_;
  const std::string version_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::map<ShardId, std::unique_ptr<ShardMetrics>> shards_;
  std::optional<std::int64_t> state_free_;
  std::optional<std::int64_t> partitions_;
  std::optional<std::int64_t> publish_pending_;
  std::optional<double> publish_oldest_;
  Brokers brokers_;
  HttpMetrics http_;
};

}  // namespace lethe
