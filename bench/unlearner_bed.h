#pragma once

#include <cstdint>
#include <memory>

#include "connectors/system/sodium_random.h"
#include "engine/base/split_mix.h"
#include "engine/plan.h"
#include "state/payloads/memory_payloads.h"

namespace lethe {

// An unlearner without a shard around it, and events for it.
class UnlearnerBed {
 public:
  static constexpr std::int64_t kDimension = 20;

  // A linear rule with noise, so that there is something to minimise.
  static Example NewExample(SplitMix& random) {
    Example example{Vector(kDimension), 1};
    for (double& value : example.x) value = 2 * random.Uniform() - 1;
    example.x *= 0.99 / example.x.norm();
    if (example.x[0] + example.x[1] + 0.5 * (random.Uniform() - 0.5) < 0) example.y = -1;
    return example;
  }

  explicit UnlearnerBed(Spec spec) : plan_(PlanOf(std::move(spec))) {
    unlearner_ = MakeUnlearner(plan_, {0}, noise_, payloads_);
  }

  void Learn(std::int64_t count) {
    for (; count > 0; --count, ++learned_) unlearner_->Learn(NewExample(random_));
  }
  Forgetting Forget(std::int64_t index) {
    const Target target{{index}, {}};
    unlearner_->Release({&target, 1});
    return unlearner_->Forget({&target, 1}).value();
  }

  std::int64_t learned() const { return learned_; }
  std::int64_t retained() const { return payloads_.count(); }
  std::int64_t deletion_gradients() const { return unlearner_->DeletionGradients(); }

 private:
  static Plan PlanOf(Spec spec) {
    spec.model.dimension = kDimension;
    spec.noise.source = NoiseKind::kSeeded;
    return Plan::Make(spec).value();
  }

  Plan plan_;
  SeededRandom noise_{1};
  MemoryPayloads payloads_;
  SplitMix random_{1};
  std::unique_ptr<Unlearner> unlearner_;
  std::int64_t learned_ = 0;
};

}  // namespace lethe
