#include "metrics/pipeline_metrics.h"

#include <prometheus/histogram.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "metrics/families.h"
#include "metrics/process_samples.h"
#include "metrics/report_samples.h"

namespace lethe {
namespace {

// In tenths of a second, because ObserveCommit rounds up to tenths. A synced commit takes half a
// millisecond on a good disk, so the first bucket is the normal case.
std::vector<double> CommitBuckets() { return {0.1, 0.2, 0.5, 1, 2, 5, 10, 30}; }

// In whole seconds, up to the 30 days that regulations allow.
std::vector<double> ErasureBuckets() {
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  return {0,   1,   2,     5,         10,   20,       30,       60,
          300, 600, kHour, 6 * kHour, kDay, 3 * kDay, 7 * kDay, 30 * kDay};
}

// A gauge that is unknown until it is set. NaN stands for unknown.
class Gauge {
 public:
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  void Set(double value) { value_.store(value, std::memory_order_relaxed); }
  std::optional<double> get() const {
    const double value = value_.load(std::memory_order_relaxed);
    return std::isnan(value) ? std::nullopt : std::optional(value);
  }

 private:
  std::atomic<double> value_ = kUnknown;
};

std::optional<std::int64_t> AsInteger(std::optional<double> value) {
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

class Counter {
 public:
  void Increment() { value_.fetch_add(1, std::memory_order_relaxed); }
  double get() const { return static_cast<double>(value_.load(std::memory_order_relaxed)); }

 private:
  std::atomic<std::int64_t> value_ = 0;
};

}  // namespace

struct PipelineMetrics::ShardMetrics::Values {
  std::string shard;
  Gauge lag, queue, commit_time;
  Counter misrouted, ahead, restores, models_too_large;
  std::array<Counter, static_cast<std::size_t>(Reason::kCount)> dead_letters;
  prometheus::Histogram learn_commit{CommitBuckets()};
  prometheus::Histogram deletion_commit{CommitBuckets()};
  prometheus::Histogram effective{ErasureBuckets()};
  prometheus::Histogram erased{ErasureBuckets()};
  mutable std::mutex mutex;
  std::map<std::string, std::int64_t> state_bytes;
};

PipelineMetrics::ShardMetrics::ShardMetrics(ShardId id) : values_(std::make_unique<Values>()) {
  values_->shard = std::to_string(id.value);
}

PipelineMetrics::ShardMetrics::~ShardMetrics() = default;

void PipelineMetrics::ShardMetrics::SetLag(std::optional<std::int64_t> records) {
  values_->lag.Set(records ? static_cast<double>(*records) : Gauge::kUnknown);
}

void PipelineMetrics::ShardMetrics::SetQueue(std::int64_t records) {
  values_->queue.Set(static_cast<double>(records));
}

void PipelineMetrics::ShardMetrics::ObserveCommit(bool is_deletion, double seconds) {
  // Rounded up to tenths of a second: a finer time would reveal how much was written, and the sum
  // of the histogram would keep it for good.
  const double rounded = std::max(1.0, std::ceil(seconds * 10)) / 10;
  (is_deletion ? values_->deletion_commit : values_->learn_commit).Observe(rounded);
}

void PipelineMetrics::ShardMetrics::ObserveErasure(ErasureStage stage, std::int64_t seconds) {
  (stage == ErasureStage::kErased ? values_->erased : values_->effective)
      .Observe(static_cast<double>(seconds));
}

void PipelineMetrics::ShardMetrics::AddDeadLetter(Reason reason) {
  LETHE_CHECK(reason < Reason::kCount);
  values_->dead_letters[static_cast<std::size_t>(reason)].Increment();
}

void PipelineMetrics::ShardMetrics::AddMisrouted() { values_->misrouted.Increment(); }
void PipelineMetrics::ShardMetrics::AddAhead() { values_->ahead.Increment(); }
void PipelineMetrics::ShardMetrics::AddRestore() { values_->restores.Increment(); }
void PipelineMetrics::ShardMetrics::AddModelTooLarge() { values_->models_too_large.Increment(); }

void PipelineMetrics::ShardMetrics::SetStateBytes(const std::string& family, std::int64_t bytes) {
  const std::lock_guard lock(values_->mutex);
  values_->state_bytes[family] = bytes;
}

void PipelineMetrics::ShardMetrics::SetCommitTime(double unix_seconds) {
  values_->commit_time.Set(std::ceil(unix_seconds));
}

std::optional<std::int64_t> PipelineMetrics::ShardMetrics::lag() const {
  return AsInteger(values_->lag.get());
}

std::optional<std::int64_t> PipelineMetrics::ShardMetrics::queue() const {
  return AsInteger(values_->queue.get());
}

std::optional<double> PipelineMetrics::ShardMetrics::commit_time() const {
  return values_->commit_time.get();
}

void PipelineMetrics::ShardMetrics::AddTo(Families& families) const {
  const Values& values = *values_;
  const Families::Labels labels = {{"shard", values.shard}};
  const auto add_if_known = [&](const char* name, const Gauge& gauge) {
    if (const std::optional<double> value = gauge.get()) families.Add(name, labels, *value);
  };
  const auto add_histogram = [&](const char* name, const char* label, const char* value,
                                 const prometheus::Histogram& histogram) {
    families.Add(name, {{"shard", values.shard}, {label, value}}, histogram.Collect());
  };
  families.Add("lethe_misrouted_total", labels, values.misrouted.get());
  families.Add("lethe_records_ahead_total", labels, values.ahead.get());
  families.Add("lethe_restores_total", labels, values.restores.get());
  families.Add("lethe_models_too_large_total", labels, values.models_too_large.get());
  for (std::size_t i = 0; i < values.dead_letters.size(); ++i) {
    families.Add("lethe_dead_letters_total",
                 {{"shard", values.shard}, {"reason", ReasonName(static_cast<Reason>(i))}},
                 values.dead_letters[i].get());
  }
  add_if_known("lethe_kafka_lag_records", values.lag);
  add_if_known("lethe_queue_records", values.queue);
  add_if_known("lethe_commit_timestamp_seconds", values.commit_time);
  add_histogram("lethe_commit_duration_seconds", "kind", "learn", values.learn_commit);
  add_histogram("lethe_commit_duration_seconds", "kind", "deletion", values.deletion_commit);
  add_histogram("lethe_erasure_duration_seconds", "stage", "effective", values.effective);
  add_histogram("lethe_erasure_duration_seconds", "stage", "erased", values.erased);
  const std::lock_guard lock(values.mutex);
  for (const auto& [family, bytes] : values.state_bytes) {
    families.Add("lethe_state_bytes", {{"shard", values.shard}, {"family", family}},
                 static_cast<double>(bytes));
  }
}

PipelineMetrics::PipelineMetrics(const PublishedState& published, std::string version)
    : published_(published), version_(std::move(version)) {}

PipelineMetrics::~PipelineMetrics() = default;

PipelineMetrics::ShardMetrics& PipelineMetrics::shard(ShardId id) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<ShardMetrics>& shard = shards_[id];
  if (!shard) shard = std::make_unique<ShardMetrics>(id);
  return *shard;
}

const PipelineMetrics::ShardMetrics* PipelineMetrics::find(ShardId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = shards_.find(id);
  return found == shards_.end() ? nullptr : found->second.get();
}

void PipelineMetrics::SetStateFree(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  state_free_ = bytes;
}

void PipelineMetrics::SetPartitions(std::int64_t count) {
  const std::lock_guard lock(mutex_);
  partitions_ = count;
}

void PipelineMetrics::SetBrokers(const Brokers& brokers) {
  const std::lock_guard lock(mutex_);
  brokers_ = brokers;
}

PipelineMetrics::Brokers PipelineMetrics::brokers() const {
  const std::lock_guard lock(mutex_);
  return brokers_;
}

void PipelineMetrics::SetPublishing(std::int64_t pending, std::optional<double> oldest) {
  const std::lock_guard lock(mutex_);
  publish_pending_ = pending;
  publish_oldest_ = oldest;
}

// The mutex must be held.
void PipelineMetrics::AddProcessWide(Families& families) const {
  const auto add_if_known = [&](const char* name, const auto& value) {
    if (value) families.Add(name, {}, static_cast<double>(*value));
  };
  add_if_known("lethe_state_free_bytes", state_free_);
  if (partitions_) {
    families.Add("lethe_kafka_partitions", {{"topic", published_.info().topic}},
                 static_cast<double>(*partitions_));
  }
  add_if_known("lethe_kafka_connected_brokers", brokers_.connected);
  add_if_known("lethe_kafka_last_contact_timestamp_seconds", brokers_.last_contact);
  add_if_known("lethe_publish_pending_messages", publish_pending_);
  add_if_known("lethe_publish_oldest_pending_timestamp_seconds", publish_oldest_);
}

std::string PipelineMetrics::Text() const {
  Families families;
  families.Add("lethe_build_info", {{"version", version_}}, 1);
  families.Add("lethe_ready", {}, published_.not_ready().empty() ? 1 : 0);
  AddInfo(published_.info(), families);
  for (const auto& report : published_.reports()) AddReport(published_.info(), *report, families);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, shard] : shards_) shard->AddTo(families);
    AddProcessWide(families);
  }
  http_.AddTo(families);
  AddProcess(families);
  return families.Text();
}

double PipelineMetrics::uptime_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace lethe
