#pragma once

#include "engine/modes/online_unlearner.h"

namespace lethe {

// What the modes share that learn by online gradient descent and forget exactly: no noise, and
// whatever remembered the event is computed anew.
class ExactUnlearner : public Unlearner {
 public:
  double SigmaNow(std::span<const Target>) const override { return 0; }
  const Vector& model() const override { return run_.model(); }
  double SquaredNorm() const override { return run_.squared_norm(); }
  double HalfLife() const override { return run_.HalfLife(); }

 protected:
  explicit ExactUnlearner(const ModeContext& context)
      : loss_(context.spec.model.loss, context.spec.model.huber_width),
        constants_(context.constants),
        schedule_(context.schedule),
        dimension_(ModelDimension(context.spec.model)),
        run_(NewRun()) {}

  // The run before any event.
  OnlineRun NewRun() const { return {loss_, constants_, schedule_, dimension_}; }
  OnlineRun& run() { return run_; }

 private:
  Loss loss_;
  Constants constants_;
  Schedule schedule_;
  Eigen::Index dimension_;
  OnlineRun run_;
};

}  // namespace lethe
