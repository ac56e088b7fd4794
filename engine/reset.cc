#include "engine/reset.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include <Eigen/Cholesky>

#include "engine/noise.h"

namespace lethe {
namespace {

constexpr int kNewtonSteps = 50;
constexpr int kGradientSteps = 100000;

// The largest number of events for which the check before the run vouches.
constexpr std::int64_t kMostEvents = std::int64_t{1} << 40;

// One damped Newton step (Armijo). False if it made no progress.
bool NewtonStep(const MeanCost& cost, const Constants& constants, const Vector& gradient,
                Vector& z) {
  const Vector direction = cost.Hessian(z).llt().solve(gradient);
  if (!direction.allFinite()) return false;
  const double value = cost.Value(z);
  const double slope = gradient.dot(direction);
  for (double t = 1; t > 1e-4; t /= 2) {
    Vector next = z - t * direction;
    Project(next, constants.radius);
    // Near the minimum the values differ by rounding only; then the full step is the right one.
    const double gain = value - cost.Value(next);
    if (gain >= 1e-4 * t * slope || std::abs(gain) <= 1e-12 * std::abs(value)) {
      z = next;
      return true;
    }
  }
  return false;
}

}  // namespace

Status ResetTo(const MeanCost& cost, const Constants& constants, double tolerance, Vector& z) {
  const double margin = MeanCost::GradientRounding(constants, cost.count(), z.size());
  if (cost.count() == 0) {
    z.setZero();
    return Status::Ok();
  }
  const double step = constants.max_step();
  bool newton_works = true;
  for (int i = 0; i < kNewtonSteps + kGradientSteps; ++i) {
    const Vector gradient = cost.Gradient(z);
    if (gradient.norm() + margin <= tolerance) return Status::Ok();
    newton_works = newton_works && i < kNewtonSteps && NewtonStep(cost, constants, gradient, z);
    if (newton_works) continue;
    z -= step * gradient;
    Project(z, constants.radius);
  }
  return {ErrorCode::kInternal,
          "active: the reset did not reach forgetting.active.tolerance; nothing was released; use "
          "a larger tolerance"};
}

double MinimiserRadius(const ModelSpec& model, const Constants& constants) {
  const double R = constants.feature_norm;
  const double lambda = constants.mu;
  const double Y = model.label_bound;
  switch (model.loss) {
    case LossKind::kLogistic:
      return std::min(R / lambda, std::sqrt(2 * std::numbers::ln2 / lambda));
    case LossKind::kSquared: return Y / std::sqrt(lambda);
    case LossKind::kHuber: {
      const double h = model.huber_width;
      const double at_zero = Y > h ? h * Y - h * h / 2 : Y * Y / 2;
      return std::min(h * R / lambda, std::sqrt(2 * at_zero / lambda));
    }
  }
  return HUGE_VAL;
}

Status CheckReset(const ModelSpec& model, const Constants& constants, double tolerance) {
  const double least = MinimiserRadius(model, constants);
  char text[300];
  if (!(constants.radius >= least)) {
    std::snprintf(text, sizeof text,
                  "forgetting.active.variant: second_order needs every minimiser inside the ball, "
                  "so model.radius must be at least %.6g with this lambda (it is %.6g); enlarge "
                  "radius or lambda, or use variant: ledger",
                  least, constants.radius);
    return {ErrorCode::kConfig, text};
  }
  const double rounding = MeanCost::GradientRounding(constants, kMostEvents, model.dimension + 1);
  if (!(rounding <= tolerance / 2)) {
    std::snprintf(text, sizeof text,
                  "forgetting.active.tolerance: %.3g cannot be told from rounding, which may be "
                  "%.3g; use at least %.3g",
                  tolerance, rounding, 2 * rounding);
    return {ErrorCode::kConfig, text};
  }
  return Status::Ok();
}

}  // namespace lethe
