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

// The probe of a live shard: losses and unknown members for the report, the oldest forgotten event
// for the release, and the durations of erasure stages for the metrics. Not thread-safe; for the
// shard's own thread.
class LiveProbe final : public Probe {
 public:
  // A promise that holds even if people react to what is released covers the noised models. Losses
  // carry no noise, so with such a promise none are kept.
  explicit LiveProbe(const Plan& plan)
      : losses_(Loss(plan.spec.model, plan.spec.learning.update)),
        keeps_losses_(!plan.AllowsAdaptiveRequests()) {}

  void OnLearn(ShardId, const LearnedStep& step) override {
    if (keeps_losses_) AddLoss(step.prediction, step.example.y);
    unknown_members_ += step.unknown_members;
  }
  // Losses and unknown members begin anew at a deletion, because those so far depend on the deleted
  // event.
  void OnEffective(ShardId, std::span<const Target> batch, const Forgetting&) override {
    for (const Target& target : batch) {
      if (!first_forgotten_ || target.index < *first_forgotten_) first_forgotten_ = target.index;
    }
    Clear();
  }

  // They also begin anew when events leave the window: those so far depend on them. Every model so
  // far does too.
  void OnExpired(ShardId) override {
    first_forgotten_ = EventIndex{0};
    Clear();
  }

  void OnStage(ShardId, ErasureStage stage, std::int64_t seconds) override {
    stages_.emplace_back(stage, seconds);
  }

  // Adds the losses and the unknown members to a report, if losses are kept.
  void AddTo(ShardReport& report) const {
    if (!keeps_losses_) return;
    report.loss_total = losses_.total();
    report.loss_events = losses_.count();
    report.unknown_members = unknown_members_;
  }
  // Whether a warning of unknown members is due: the first of them came since the last call or,
  // because the warning itself tells of an event, since figures began anew. Never due if losses are
  // not kept.
  bool TakeUnknownMembers() {
    const bool is_due = keeps_losses_ && unknown_members_ > 0 && !has_warned_;
    has_warned_ = has_warned_ || is_due;
    return is_due;
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
  // An event counts once, whatever its weight.
  void AddLoss(const Prediction& prediction, double y) {
    if (prediction.scores.empty()) {
      losses_.Add(prediction.score, y);
    } else {
      losses_.AddScores(prediction.scores.data(), y);
    }
  }

  void Clear() {
    losses_.Clear();
    unknown_members_ = 0;
    has_warned_ = false;
  }

  LossSum losses_;
  std::int64_t unknown_members_ = 0;
  bool has_warned_ = false;  // of unknown members
  const bool keeps_losses_;
  std::vector<std::pair<ErasureStage, std::int64_t>> stages_;
  std::optional<EventIndex> first_forgotten_;
};

}  // namespace lethe
