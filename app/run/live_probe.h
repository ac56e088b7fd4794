#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "engine/loss_sum.h"
#include "engine/ports/probe.h"

namespace lethe {

// What a worker wants to know of its shard while it runs. Not thread-safe.
class LiveProbe final : public Probe {
 public:
  explicit LiveProbe(const Loss& loss) : losses_(loss) {}

  void OnLearn(ShardId, const LearnedStep& step) override {
    losses_.Add(step.prediction, step.example.y);
  }
  void OnRejected(ShardId, Offset, const Rejection& why) override { rejection_ = why; }
  // What depends on data begins anew at a deletion: the losses of before know the deleted event.
  void OnEffective(ShardId, std::span<const Target> batch, const Forgetting&) override {
    for (const Target& target : batch) {
      if (!first_forgotten_ || target.index < *first_forgotten_) first_forgotten_ = target.index;
    }
    losses_.Clear();
  }

  double loss_total() const { return losses_.total(); }
  std::int64_t loss_events() const { return losses_.count(); }
  // The oldest event that was forgotten since the last call.
  std::optional<EventIndex> TakeFirstForgotten() {
    return std::exchange(first_forgotten_, std::nullopt);
  }
  // Why the last record was rejected, if it was.
  std::optional<Rejection> TakeRejection() { return std::exchange(rejection_, std::nullopt); }

 private:
  LossSum losses_;
  std::optional<EventIndex> first_forgotten_;
  std::optional<Rejection> rejection_;
};

}  // namespace lethe
