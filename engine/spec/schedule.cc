#include "engine/spec/schedule.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/base/check.h"
#include "engine/base/elementary.h"
#include "engine/spec/split.h"

namespace lethe {
namespace {

Status AboveCap(double eta, double cap) {
  char text[200];
  std::snprintf(text, sizeof text,
                "learning.eta: %g is above 2/(beta+mu) = %g; a larger step expands distances and "
                "nothing is ever forgotten; use at most that, or auto",
                eta, cap);
  return {ErrorCode::kConfig, text};
}

}  // namespace

double HorizonStep(const HorizonSpec& horizon, Split split, const Constants& constants, double rho,
                   std::int64_t model_dimension) {
  const auto k = static_cast<double>(horizon.deletions);
  double weight = k * k;
  if (split == Split::kZeta) {
    weight = 0;
    for (std::int64_t i = 1; i <= horizon.deletions; ++i) {
      weight += elementary::Pow(static_cast<double>(i), kZetaExponent);
    }
    weight *= kZetaExponent / (kZetaExponent - 1);
  }
  const double noise = static_cast<double>(model_dimension) * weight / (2 * rho);
  return constants.diameter() /
         (constants.L * std::sqrt(static_cast<double>(horizon.events) + noise));
}

Result<Schedule> Schedule::Make(const LearningSpec& learning, Split split,
                                const Constants& constants, double rho,
                                std::int64_t model_dimension) {
  Schedule schedule;
  schedule.kind_ = learning.schedule;
  schedule.cap_ = constants.max_step();
  switch (learning.schedule) {
    case ScheduleKind::kConstant: {
      const double eta = learning.eta.value_or(1 / (constants.beta + constants.mu));
      // A user may state the cap itself, with fewer digits; it is then rounded down.
      const double cap = 2 / (constants.beta + constants.mu);
      if (!(eta >= 1e-30)) {
        return Status(ErrorCode::kConfig,
                      "learning.eta: must be at least 1e-30; the square of a smaller step vanishes "
                      "in doubles, and with it the bound on what it did");
      }
      if (eta > cap * (1 + 1e-5)) return AboveCap(eta, cap);
      schedule.scale_ = std::min(eta, schedule.cap_);
      break;
    }
    case ScheduleKind::kInverseTime: schedule.scale_ = 1 / constants.mu; break;
    case ScheduleKind::kInverseSqrt: schedule.scale_ = constants.diameter() / constants.L; break;
    case ScheduleKind::kHorizon:
      schedule.scale_ = std::min(
          HorizonStep(learning.horizon, split, constants, rho, model_dimension), schedule.cap_);
      break;
    case ScheduleKind::kAdaptive: schedule.scale_ = constants.diameter(); break;
  }
  return schedule;
}

double Schedule::Step(std::int64_t t) const {
  switch (kind_) {
    case ScheduleKind::kConstant:
    case ScheduleKind::kHorizon: return scale_;
    case ScheduleKind::kInverseTime: return std::min(scale_ / static_cast<double>(t), cap_);
    case ScheduleKind::kInverseSqrt:
      return std::min(scale_ / std::sqrt(static_cast<double>(t)), cap_);
    case ScheduleKind::kAdaptive: break;
  }
  LETHE_CHECK(false);
}

double Schedule::AdaptiveStep(double squared_gradient_sum) const {
  LETHE_CHECK(kind_ == ScheduleKind::kAdaptive);
  // A sum of zero means that every gradient so far was zero: any step leaves the model alone.
  return std::min(scale_ / std::sqrt(squared_gradient_sum), cap_);
}

}  // namespace lethe
