#pragma once

#include <cstdint>

#include "engine/base/status.h"
#include "engine/spec/constants.h"
#include "engine/spec/spec.h"

namespace lethe {

// The step-size schedule (OLU, Table 1). A public schedule is a function of the step's number
// alone, so the ledger can recompute any step. Every step is capped at Constants::max_step. A value
// type; immutable, so threads may share one.
class Schedule {
 public:
  // `rho` and `model_dimension` are used by the horizon schedule only. Fails (kConfig) if a
  // constant eta is above the cap or below 1e-30.
  static Result<Schedule> Make(const LearningSpec& learning, Split split,
                               const Constants& constants, double rho,
                               std::int64_t model_dimension);

  // The schedule of modes that learn in batches: every learn event has step size 0, and waits for
  // the next descent on the mean cost.
  static Schedule Still() { return {}; }

  ScheduleKind kind() const { return kind_; }
  bool is_public() const { return kind_ != ScheduleKind::kAdaptive; }

  // The size of step t = 1, 2, ... of a public schedule.
  double Step(std::int64_t t) const;

  // Adaptive schedule only: D / sqrt(sum of squared gradient norms, this step's included).
  double AdaptiveStep(double squared_gradient_sum) const;

 private:
  ScheduleKind kind_ = ScheduleKind::kConstant;
  double scale_ = 0;  // the constant step; 1/mu; D/L; or D
  double cap_ = 0;
};

// The step size for known T events and k deletions (OLU Theorem 5, with the constant of its proof
// repaired: the noise enters k times, not T times, and sum j^omega is not below its integral):
// D / (L sqrt(T + d W / (2 rho))), where W is k^2 for equal shares of the budget and
// omega/(omega-1) sum i^omega for the zeta split.
double HorizonStep(const HorizonSpec& horizon, Split split, const Constants& constants, double rho,
                   std::int64_t model_dimension);

}  // namespace lethe
