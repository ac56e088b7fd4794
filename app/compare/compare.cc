#include "app/compare/compare.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "app/replay/regret.h"
#include "engine/shard/config_warnings.h"
#include "engine/spec/retention.h"

namespace lethe {
namespace {

constexpr std::int64_t kSeriesEvery = 100;

// A source of records in memory, for one run. All runs borrow the same records and do not change
// them.
class MemorySource final : public BatchSource {
 public:
  MemorySource(const std::vector<Record>& records, std::size_t batch_size)
      : records_(records), batch_size_(batch_size) {}

  Result<bool> Read(MessageBatch& batch) override {
    const std::size_t end = std::min(next_ + batch_size_, records_.size());
    batch.Clear(batch_size_);
    for (; next_ < end; ++next_) batch.AddDecoded(records_[next_]);
    return batch.size() > 0;
  }

 private:
  const std::vector<Record>& records_;
  const std::size_t batch_size_;
  std::size_t next_ = 0;
};

std::int64_t ShardsOf(const std::vector<Record>& records) {
  std::int64_t shards = 1;
  for (const Record& record : records) shards = std::max(shards, record.shard.value + 1);
  return shards;
}

std::string WindowOf(const Plan& plan) {
  const ForgettingSpec& forgetting = plan.spec.forgetting;
  if (forgetting.mode == "retrain") return "all";
  if (forgetting.mode != "rewind") return "";
  if (const std::int64_t time_ms = RewindWindowMs(forgetting); time_ms > 0) {
    return ToText({.all = false, .events = 0, .time_ms = time_ms});
  }
  const std::int64_t window = RewindWindow(plan.spec, plan.constants, plan.schedule);
  return window == 0 ? "all" : std::to_string(window);
}

// The work of all threads. Each thread takes the next contender until none is left, and writes its
// result to a place of its own. The error of one contender does not stop the others.
class Work {
 public:
  Work(std::vector<Comparison>& comparisons, const std::vector<Record>& records,
       const CompareOptions& options)
      : comparisons_(comparisons),
        records_(records),
        options_(options),
        shards_(ShardsOf(records)),
        statuses_(comparisons.size()),
        done_(comparisons.size()) {}

  void RunAll() {
    for (std::size_t i = next_++; i < comparisons_.size(); i = next_++) statuses_[i] = RunOne(i);
  }

  double Share() const {
    std::int64_t done = 0;
    for (const auto& count : done_) done += count.load(std::memory_order_relaxed);
    return static_cast<double>(done) /
           static_cast<double>(records_.size() * std::max<std::size_t>(1, comparisons_.size()));
  }

  Status FirstError() const {
    for (const Status& status : statuses_) {
      if (!status.ok()) return status;
    }
    return Status::Ok();
  }

 private:
  Status RunOne(std::size_t i) {
    Comparison& comparison = comparisons_[i];
    const auto plan = Plan::Make(comparison.contender.spec, shards_);
    if (!plan.ok()) {
      comparison.refused = plan.status().message();
      done_[i] = static_cast<std::int64_t>(records_.size());
      return Status::Ok();
    }
    comparison.why_not = plan.value().WhyNotCertified();
    comparison.is_exact = plan.value().mode->is_exact;
    comparison.promise = plan.value().served;
    comparison.window = WindowOf(plan.value());
    comparison.warnings = Warnings(plan.value(), static_cast<std::int64_t>(records_.size()));
    const bool is_certified = comparison.why_not.empty();
    comparison.is_joint =
        is_certified &&
        (comparison.is_exact || plan.value().spec.forgetting.guarantee == Guarantee::kJoint);
    comparison.is_adaptive = is_certified && plan.value().AllowsAdaptiveRequests();
    MemorySource source(records_, ReplayBatchSize(plan.value().spec));
    ReplayOptions options;
    options.regret = options_.regret && options_.regret_sample == 0;
    options.regret_sample = options_.regret ? options_.regret_sample : 0;
    options.keep_series = options_.keep_series;
    options.series_every = kSeriesEvery;
    options.on_progress = [this, i](std::int64_t records) {
      done_[i].store(records, std::memory_order_relaxed);
    };
    auto result = Replay(plan.value(), source, options);
    if (!result.ok()) {
      return {result.status().code(), comparison.contender.name + ": " + result.status().message()};
    }
    comparison.result = std::move(result).value();
    if (comparison.result->why_not) {
      comparison.why_not = comparison.result->WhyNotCertified(plan.value());
      comparison.is_joint = comparison.is_adaptive = false;
    }
    return Status::Ok();
  }

  std::vector<Comparison>& comparisons_;
  const std::vector<Record>& records_;
  const CompareOptions& options_;
  const std::int64_t shards_;
  std::atomic<std::size_t> next_ = 0;
  std::vector<Status> statuses_;
  std::vector<std::atomic<std::int64_t>> done_;
};

}  // namespace

Result<std::vector<Comparison>> Compare(const std::vector<Contender>& contenders,
                                        const std::vector<Record>& records,
                                        const CompareOptions& options) {
  std::vector<Comparison> comparisons;
  for (const Contender& contender : contenders) {
    comparisons.emplace_back().contender = contender;
  }
  Work work(comparisons, records, options);
  std::atomic<int> running = std::max(1, options.threads);
  std::vector<std::thread> threads;
  for (int i = running; i > 0; --i) {
    threads.emplace_back([&] {
      work.RunAll();
      --running;
    });
  }
  while (running > 0) {
    options.on_progress(work.Share());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  for (std::thread& thread : threads) thread.join();
  LETHE_RETURN_IF_ERROR(work.FirstError());
  return comparisons;
}

}  // namespace lethe
