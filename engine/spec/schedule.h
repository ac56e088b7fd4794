#pragma once

#include <cstdint>

#include "engine/base/status.h"
#include "engine/spec/constants.h"
#include "engine/spec/spec.h"

namespace lethe {

// Step sizes (OLU, Table 1). Public schedules are functions of the step's number alone, so the
// ledger can recompute any of them. Every step is capped at Constants::max_step.
class Schedule {
 public:
  // `rho` and `model_dimension` enter the horizon schedule. Fails (kConfig) when a constant eta is
  // above the cap.
  static Result<Schedule> Make(const LearningSpec& learning, Split split,
                               const Constants& constants, double rho,
                               std::int64_t model_dimension);

  // Learn events take no step: they wait until they are computed on together.
  static Schedule Still() { return {}; }

  ScheduleKind kind() const { return kind_; }
  bool is_public() const { return kind_ != ScheduleKind::kAdaptive; }

  // The size of step t = 1, 2, ... of a public schedule.
  double Step(std::int64_t t) const;

  // adaptive only: D / sqrt(sum of squared gradient norms, this step's included).
  double AdaptiveStep(double squared_gradient_sum) const;

 private:
  ScheduleKind kind_ = ScheduleKind::kConstant;
  double scale_ = 0;  // the constant step; 1/mu; D/L; or D
  double cap_ = 0;
};

// Step size for known T events and k deletions (OLU Theorem 5, with the constant of its proof
// repaired: the noise enters k times, not T times, and sum j^omega is not below its integral):
// D / (L sqrt(T + d W / (2 rho))), where W is k^2 for equal shares of the budget and
// omega/(omega-1) sum i^omega for the zeta split.
double HorizonStep(const HorizonSpec& horizon, Split split, const Constants& constants, double rho,
                   std::int64_t model_dimension);

}  // namespace lethe
