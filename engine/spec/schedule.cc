#include "engine/spec/schedule.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "engine/base/check.h"
#include "engine/base/elementary.h"
#include "engine/spec/split.h"

namespace lethe {
namespace {

// The constant step without an eta, as a share of 1/(beta + mu). Chosen by progressive accuracy on
// streams with deletions: larger steps follow each event too closely, and smaller ones keep a
// deleted event for so long that its deletion needs more noise.
constexpr double kAutoShare = 0.25;

Status AboveCap(double eta, double cap) {
  char text[200];
  std::snprintf(text, sizeof text,
                "learning.eta: %g is above 2/(beta+mu) = %g; a larger step expands distances and "
                "nothing is ever forgotten; use at most that, or auto",
                eta, cap);
  return {ErrorCode::kConfig, text};
}

Status CheckEta(const LearningSpec& learning) {
  if (!learning.eta) return Status::Ok();
  if (learning.schedule == ScheduleKind::kHorizon) {
    return {ErrorCode::kConfig,
            "learning.eta: schedule: horizon computes its step from learning.horizon; use auto, or "
            "schedule: constant"};
  }
  if (*learning.eta >= 1e-30 && *learning.eta <= 1e30) return Status::Ok();
  return {ErrorCode::kConfig,
          "learning.eta: must be at least 1e-30 and at most 1e30; the square of a smaller step "
          "vanishes in doubles, and with it the bound on what it did"};
}

Result<double> RatePerFeature(const LearningSpec& learning) {
  if (learning.schedule != ScheduleKind::kConstant) {
    return Status(ErrorCode::kConfig,
                  std::string("learning.schedule: update: ") + Name(learning.update) +
                      " gives every weight a step size of its own, which follows no schedule; use "
                      "schedule: constant, or update: sgd");
  }
  return learning.eta.value_or(AutoRate(learning.update));
}

}  // namespace

// Chosen by progressive accuracy on streams that drift and streams that do not. A larger rate is
// better where the best model changes fast, and costs little elsewhere.
double AutoRate(UpdateKind update) {
  switch (update) {
    case UpdateKind::kAdagrad: return 1;
    case UpdateKind::kFtrl: return 0.5;
    case UpdateKind::kNormalised: return 2;
    case UpdateKind::kSgd: break;
  }
  LETHE_CHECK(false);
}

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
  LETHE_RETURN_IF_ERROR(CheckEta(learning));
  if (learning.update != UpdateKind::kSgd) {
    const auto rate = RatePerFeature(learning);
    if (!rate.ok()) return rate.status();
    schedule.update_ = learning.update;
    schedule.rate_ = rate.value();
    schedule.scale_ = std::min(rate.value(), schedule.cap_);
    return schedule;
  }
  switch (learning.schedule) {
    case ScheduleKind::kConstant: {
      const double eta = learning.eta.value_or(kAutoShare / (constants.beta + constants.mu));
      // A user may state the cap itself, with fewer digits; it is then rounded down.
      const double cap = 2 / (constants.beta + constants.mu);
      if (eta > cap * (1 + 1e-5)) return AboveCap(eta, cap);
      schedule.scale_ = std::min(eta, schedule.cap_);
      break;
    }
    case ScheduleKind::kInverseTime:
      schedule.scale_ = 1 / constants.mu;
      if (learning.eta) schedule.shift_ = 1 / (*learning.eta * constants.mu);
      break;
    case ScheduleKind::kInverseSqrt:
      schedule.scale_ = learning.eta.value_or(constants.diameter() / constants.L);
      break;
    case ScheduleKind::kHorizon:
      schedule.scale_ = std::min(
          HorizonStep(learning.horizon, split, constants, rho, model_dimension), schedule.cap_);
      break;
    case ScheduleKind::kAdaptive:
      schedule.scale_ = learning.eta.value_or(constants.diameter());
      break;
  }
  return schedule;
}

double Schedule::Step(std::int64_t t) const {
  switch (kind_) {
    case ScheduleKind::kConstant:
    case ScheduleKind::kHorizon: return scale_;
    // eta / (1 + eta mu t) = (1/mu) / (t + 1/(eta mu)); without an eta the shift is 0.
    case ScheduleKind::kInverseTime:
      return std::min(scale_ / (static_cast<double>(t) + shift_), cap_);
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
