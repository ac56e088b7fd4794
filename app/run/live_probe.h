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

// What a worker wants to know of its shard while it runs. Not thread-safe.
class LiveProbe final : public Probe {
 public:
  // A promise that holds even if people react to what is released covers the noised models. Losses
  // carry no noise, so with such a promise none are kept.
  explicit LiveProbe(const Plan& plan)
      : losses_(Loss(plan.spec.model.loss, plan.spec.model.huber_width)),
        keeps_losses_(!plan.AllowsAdaptiveRequests()) {}

  void OnLearn(ShardId, const LearnedStep& step) override {
    if (keeps_losses_) losses_.Add(step.prediction, step.example.y);
  }
  // What depends on data begins anew at a deletion: the losses of before know the deleted event.
  void OnEffective(ShardId, std::span<const Target> batch, const Forgetting&) override {
    for (const Target& target : batch) {
      if (!first_forgotten_ || target.index < *first_forgotten_) first_forgotten_ = target.index;
    }
    losses_.Clear();
  }

  void OnStage(ShardId, ErasureStage stage, std::int64_t seconds) override {
    stages_.emplace_back(stage, seconds);
  }

  // What depends on data and carries no noise.
  void AddTo(ShardReport& report) const {
    if (!keeps_losses_) return;
    report.loss_total = losses_.total();
    report.loss_events = losses_.count();
  }
  // The oldest event that was forgotten since the last call.
  std::optional<EventIndex> TakeFirstForgotten() {
    return std::exchange(first_forgotten_, std::nullopt);
  }
  // The stages that requests have come to since the last call, and the seconds to each.
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
