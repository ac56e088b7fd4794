#include "app/tune/trial.h"

#include <algorithm>
#include <map>
#include <memory>

#include "app/interrupt.h"
#include "connectors/system/sodium_random.h"
#include "engine/admission/event_validator.h"
#include "engine/modes/unlearner.h"
#include "state/payloads/memory_payloads.h"

namespace lethe {
namespace {

constexpr std::int64_t kAskEvery = 1024;    // rows between two looks for a signal
constexpr std::int64_t kPrefetchAhead = 4;  // rows

// The run of one shard without deletions, with the window of mode rewind: the model is that of a
// fresh run from an anchor on. A second model starts W events after the anchor, and takes over
// after another W.
class WindowedRun {
 public:
  WindowedRun(const Plan& plan, ShardId shard, RandomSource& random, std::int64_t window)
      : plan_(plan), shard_(shard), random_(random), window_(window), model_(NewModel()) {}

  Prediction Learn(const Example& example) {
    if (window_ > 0 && learned_ == window_) next_ = NewModel();
    if (window_ > 0 && learned_ == 2 * window_) {
      model_ = std::move(next_);
      next_ = NewModel();
      learned_ = window_;
    }
    ++learned_;
    if (next_) next_->Learn(example);
    return model_->Learn(example);
  }
  void Prefetch(const Example& example) const { model_->Prefetch(example); }

 private:
  std::unique_ptr<Unlearner> NewModel() {
    return MakeUnlearner(plan_, shard_, random_, no_payloads_);
  }

  const Plan& plan_;
  ShardId shard_;
  RandomSource& random_;
  const std::int64_t window_;
  std::int64_t learned_ = 0;  // since the anchor
  MemoryPayloads no_payloads_;
  std::unique_ptr<Unlearner> model_;
  std::unique_ptr<Unlearner> next_;
};

}  // namespace

TuneRows AdmitRows(const Spec& spec, const std::vector<Record>& records) {
  const EventValidator validator(spec.model, FeatureMap::Make(spec.model, spec.features));
  TuneRows found;
  std::map<ShardId, std::size_t> shards;
  for (const Record& record : records) {
    if (record.event.kind == EventKind::kDelete && !record.rejection) continue;
    TuneRows::Row row;
    if (record.rejection || validator.Admit(record.event, row.example)) {
      ++found.refused;
      continue;
    }
    row.shard = shards.try_emplace(record.shard, shards.size()).first->second;
    found.rows.push_back(std::move(row));
  }
  found.shards = std::max<std::size_t>(1, shards.size());
  return found;
}

Result<Quality> RunTrial(const Spec& spec, const TuneRows& rows, std::int64_t count,
                         std::int64_t window) {
  Spec learner = spec;
  learner.forgetting = {};
  learner.forgetting.mode = "none";
  const auto plan = Plan::Make(learner);
  if (!plan.ok()) return plan.status();
  const auto random = MakeRandom(NoiseSpec{});
  std::vector<std::unique_ptr<WindowedRun>> runs;
  for (std::size_t i = 0; i < rows.shards; ++i) {
    runs.push_back(std::make_unique<WindowedRun>(
        plan.value(), ShardId{static_cast<std::int64_t>(i)}, *random, window));
  }
  QualityTally tally{Loss(learner.model, learner.learning.update)};
  const std::int64_t end = std::min(count, rows.size());
  for (std::int64_t i = 0; i < end; ++i) {
    if (i % kAskEvery == 0 && Interrupted()) return InterruptedStatus("stopped while tuning");
    const TuneRows::Row& row = rows.rows[static_cast<std::size_t>(i)];
    if (i + kPrefetchAhead < end) {
      const TuneRows::Row& ahead = rows.rows[static_cast<std::size_t>(i + kPrefetchAhead)];
      runs[ahead.shard]->Prefetch(ahead.example);
    }
    // An event of weight 0 is not learned, and nothing predicts it.
    if (row.example.w == 0) continue;
    tally.Add(runs[row.shard]->Learn(row.example), row.example.y, row.example.w);
  }
  return tally.Result();
}

}  // namespace lethe
