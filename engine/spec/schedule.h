#pragma once

#include <cstdint>

#include "engine/base/status.h"
#include "engine/spec/constants.h"
#include "engine/spec/spec.h"

namespace lethe {

// The step-size schedule (OLU, Table 1): eta, eta/(1 + eta mu t), eta/sqrt(t), the horizon's step,
// or eta/sqrt(sum of squared gradients), with eta = learning.eta. `auto` is 1/(4 (beta+mu)) for
// constant steps, infinity for 1/(mu t), D/L for D/(L sqrt(t)), and D. A public schedule is a
// function of the step's number alone, so the ledger can recompute any step. Every step is capped
// at Constants::max_step. A value type; immutable, so threads may share one.
class Schedule {
 public:
  // `rho` and `model_dimension` are used by the horizon schedule only. Fails (kConfig) if eta is
  // below 1e-30 or a constant eta is above the cap, if the horizon is to have an eta, or if steps
  // per feature are to have a schedule.
  static Result<Schedule> Make(const LearningSpec& learning, Split split,
                               const Constants& constants, double rho,
                               std::int64_t model_dimension);

  // The schedule of modes that learn in batches: every learn event has step size 0, and waits for
  // the next descent on the mean cost.
  static Schedule Still() { return {}; }

  ScheduleKind kind() const { return kind_; }
  UpdateKind update() const { return update_; }
  // Whether every step size is known without the data.
  bool is_public() const { return kind_ != ScheduleKind::kAdaptive && update_ == UpdateKind::kSgd; }

  // The size of step t = 1, 2, ... of a public schedule.
  double Step(std::int64_t t) const;

  // Steps per feature only: the factor of all step sizes, and what the ledger takes for a step. The
  // ledger's account does not hold for such steps.
  double rate() const { return rate_; }
  double nominal_step() const { return scale_; }

  // Adaptive schedule only: eta / sqrt(sum of squared gradient norms, this step's included).
  double AdaptiveStep(double squared_gradient_sum) const;

 private:
  ScheduleKind kind_ = ScheduleKind::kConstant;
  UpdateKind update_ = UpdateKind::kSgd;
  double rate_ = 0;   // steps per feature
  double scale_ = 0;  // eta, or 1/mu for inverse_time
  double shift_ = 0;  // inverse_time: 1/(eta mu), which the step's number is counted from
  double cap_ = 0;
};

// The step size for known T events and k deletions (OLU Theorem 5, with the constant of its proof
// repaired: the noise enters k times, not T times, and sum j^omega is not below its integral):
// D / (L sqrt(T + d W / (2 rho))), where W is k^2 for equal shares of the budget and
// omega/(omega-1) sum i^omega for the zeta split.
double HorizonStep(const HorizonSpec& horizon, Split split, const Constants& constants, double rho,
                   std::int64_t model_dimension);

// The learning.eta of steps per feature that `auto` stands for.
double AutoRate(UpdateKind update);

}  // namespace lethe
