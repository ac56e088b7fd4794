#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/plan.h"
#include "engine/ports/probe.h"
#include "engine/shard/report.h"
#include "engine/spec/loss_sum.h"

namespace lethe {

// The probe of a live shard: losses for the report, the oldest forgotten event for the release, and
// the durations of erasure stages for the metrics. Not thread-safe; for the shard's own thread.
class LiveProbe final : public Probe {
 public:
  // A promise that holds even if people react to what is released covers the noised models. Losses
  // carry no noise, so with such a promise none are kept.
  explicit LiveProbe(const Plan& plan)
      : losses_(Loss(plan.spec.model, plan.spec.learning.update)),
        keeps_losses_(!plan.AllowsAdaptiveRequests()) {}

  void OnLearn(ShardId, const LearnedStep& step) override {
    if (keeps_losses_) losses_.Add(step.prediction.score, step.example.y);
  }
  // Losses begin anew at a deletion, because those so far depend on the deleted event.
  void OnEffective(ShardId, std::span<const Target> batch, const Forgetting&) override {
    for (const Target& target : batch) {
      if (!first_forgotten_ || target.index < *first_forgotten_) first_forgotten_ = target.index;
    }
    losses_.Clear();
  }

  // Losses also begin anew when events leave the window: those so far depend on them. Every model
  // so far does too.
  void OnExpired(ShardId) override {
    first_forgotten_ = EventIndex{0};
    losses_.Clear();
  }

  void OnStage(ShardId, ErasureStage stage, std::int64_t seconds) override {
    stages_.emplace_back(stage, seconds);
  }

  // Adds the losses to a report, if losses are kept.
  void AddTo(ShardReport& report) const {
    if (!keeps_losses_) return;
    report.loss_total = losses_.total();
    report.loss_events = losses_.count();
  }
  // The oldest event that was forgotten since the last call; none if none was.
  std::optional<EventIndex> TakeFirstForgotten() {
    return std::exchange(first_forgotten_, std::nullopt);
  }
  // The stages that requests have reached since the last call, each with the seconds that it took.
  std::vector<std::pair<ErasureStage, std::int64_t>> TakeStages() {
    return std::exchange(stages_, {});
  }

 private:
  LossSum losses_;
  const bool keeps_losses_;
  std::vector<std::pair<ErasureStage, std::int64_t>> stages_;
  std::optional<EventIndex> first_forgotten_;
};

}  // namespace lethe
