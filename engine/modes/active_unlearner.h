#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/base/elementary.h"
#include "engine/learning/mean_cost.h"
#include "engine/modes/online_unlearner.h"

namespace lethe {

// The base class of the variants of mode active, which compute on the retained events before the
// draw, so that less noise is needed (docs/guarantee.md, section 6). It keeps the payloads of the
// retained events, or of those among the last `window` indices. Threads, ownership and failure are
// those of Unlearner.
class ActiveUnlearner : public OnlineUnlearner {
 public:
  explicit ActiveUnlearner(const ModeContext& context)
      : OnlineUnlearner(context),
        spec_(context.spec.forgetting),
        payloads_(context.payloads),
        cost_(loss(), context.constants, context.payloads) {}

  Prediction Learn(const Example& example) override {
    const EventIndex index{run().ledger().steps()};
    payloads_.Add(index, example);
    if (spec_.active.window) payloads_.DropBefore({index.value + 1 - *spec_.active.window});
    return OnlineUnlearner::Learn(example);
  }

  void Release(std::span<const Target> batch) override {
    for (const Target& target : batch) payloads_.Remove(target.index);
    OnlineUnlearner::Release(batch);
  }

  std::int64_t DeletionGradients() const override { return gradients_; }

 protected:
  const ActiveSpec& active() const { return spec_.active; }
  double target_sigma() const { return spec_.target_sigma; }
  Payloads& payloads() { return payloads_; }
  const MeanCost& cost() const { return cost_; }

  // Takes `count` gradient steps on the retained events.
  void Descend(std::int64_t count) {
    run().Descend(cost_, count);
    calibrator().Reopen(run());
    gradients_ += count * cost_.count();
  }

  void CountGradients(std::int64_t gradients) { gradients_ += gradients; }

  // The least number of steps of size 2/(beta+mu), at least one, that contract distances by a
  // factor of 1/gain.
  std::int64_t StepsThatGain(double gain) const {
    return std::max<std::int64_t>(
        1,
        static_cast<std::int64_t>(std::ceil(elementary::Log(std::max(gain, 1.0)) / GainPerStep())));
  }

  // log(1/gamma), where gamma is the contraction of one step of size 2/(beta+mu).
  double GainPerStep() const {
    return -elementary::Log(Contraction(run().constants(), run().constants().max_step()));
  }

 private:
  ForgettingSpec spec_;
  Payloads& payloads_;
  MeanCost cost_;
  std::int64_t gradients_ = 0;
};

// OLU Algorithm 3, corrected and as printed (engine/modes/papers/algorithm_3.cc).
std::unique_ptr<Unlearner> MakeAlgorithm3(const ModeContext& context);
std::unique_ptr<Unlearner> MakePrintedAlgorithm3(const ModeContext& context);

}  // namespace lethe
