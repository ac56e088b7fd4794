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

// The metrics of the running pipeline that no commit covers, and the exposition of all metrics.
// These counters begin at 0 with the process; the counters of the committed reports continue over
// restarts. Thread-safe. No value may come from a record. No call fails.
class PipelineMetrics {
 public:
  // The metrics of one shard, cheap enough for its hot loop: most are one relaxed atomic.
  // Thread-safe. A gauge is shown once it was set; a counter is shown from the start. Valid as long
  // as the PipelineMetrics that made it.
  class ShardMetrics {
   public:
    explicit ShardMetrics(ShardId id);
    ~ShardMetrics();

    void SetLag(std::optional<std::int64_t> records);  // nothing while the lag is unknown
    void SetQueue(std::int64_t records);
    void ObserveCommit(bool is_deletion, double seconds);
    // Records that a request has reached a stage, so many whole seconds after it was received
    // (Probe::OnStage).
    void ObserveErasure(ErasureStage stage, std::int64_t seconds);
    void AddDeadLetter(Reason reason);
    void AddMisrouted();
    // Counts a record whose timestamp lies in the future.
    void AddAhead();
    void AddRestore();
    void AddModelTooLarge();
    void SetStateBytes(const std::string& family, std::int64_t bytes);
    // Rounded up to whole seconds: a finer time would reveal how long a deletion took to compute,
    // which depends on data.
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

  // Borrows `published`, which must outlive this object.
  PipelineMetrics(const PublishedState& published, std::string version);
  ~PipelineMetrics();

  // The metrics of a shard, created by the first call. The reference stays valid.
  ShardMetrics& shard(ShardId id);
  // The metrics of a shard, or null if shard() was never called for it.
  const ShardMetrics* find(ShardId id) const;

  // The number of bytes free on the disk of the state.
  void SetStateFree(std::int64_t bytes);
  // The number of partitions of the source topic.
  void SetPartitions(std::int64_t count);

  struct Brokers {
    std::optional<std::int64_t> connected;
    std::optional<double> last_contact;  // seconds since 1970
  };
  void SetBrokers(const Brokers& brokers);
  Brokers brokers() const;

  // The number of messages that no broker has acknowledged, and the time at which the oldest was
  // queued, in seconds since 1970.
  void SetPublishing(std::int64_t pending, std::optional<double> oldest);

  HttpMetrics& http() { return http_; }

  // The whole exposition in text format 0.0.4: the committed reports, these metrics, and the
  // process.
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
