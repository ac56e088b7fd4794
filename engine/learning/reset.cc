#include "engine/learning/reset.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>

#include <Eigen/Cholesky>

#include "engine/base/elementary.h"
#include "engine/privacy/noise.h"
#include "engine/spec/dimension.h"

namespace lethe {
namespace {

constexpr int kNewtonSteps = 50;
constexpr int kGradientSteps = 100000;

// Beyond this a reset of a softmax takes minutes.
constexpr std::int64_t kMostSoftmaxWeights = 10'000;

// CheckReset bounds the rounding for up to this many events.
constexpr std::int64_t kMostEvents = std::int64_t{1} << 40;

// The Hessian of a quick step is estimated from max(kSample, 16 per weight) events.
constexpr std::int64_t kSample = 8192;

// The most products with the Hessian for one step.
constexpr int kMostProducts = 500;

using Factor = Eigen::LLT<Eigen::MatrixXd>;

// H^-1 gradient by the method of conjugate gradients, until the residual is `enough` of the
// gradient. For softmax, whose Hessian is too large to be factorised.
Vector SolveBySteps(const MeanCost& cost, const MeanCost::Curvature& curvature,
                    const Vector& gradient, double enough) {
  Vector solution = Vector::Zero(gradient.size());
  Vector residual = gradient;
  Vector direction = residual;
  double squared = residual.squaredNorm();
  const double least = enough * enough * squared;
  for (int i = 0; i < kMostProducts && squared > least; ++i) {
    const Vector product = cost.HessianTimes(curvature, direction);
    const double step = squared / direction.dot(product);
    solution += step * direction;
    residual -= step * product;
    const double before = std::exchange(squared, residual.squaredNorm());
    direction = residual + squared / before * direction;
  }
  return solution;
}

// A Newton step with an approximate Hessian, from a sample of events or from an earlier z. If it
// does not halve the norm of the gradient, returns false and changes nothing.
bool QuickStep(const MeanCost& cost, const Constants& constants, const Factor& factor, Vector& z,
               Vector& gradient) {
  Vector next = z - factor.solve(gradient);
  if (!next.allFinite()) return false;
  Project(next, constants.radius);
  Vector gradient_there = cost.Gradient(next);
  if (!(gradient_there.norm() <= gradient.norm() / 2)) return false;
  z = std::move(next);
  gradient = std::move(gradient_there);
  return true;
}

// One damped Newton step with Armijo's line search. Updates z and `gradient`, or returns false if
// no step length made progress.
bool NewtonStep(const MeanCost& cost, const Constants& constants, Vector& z, Vector& gradient) {
  const Vector direction = cost.loss().is_softmax()
                               ? SolveBySteps(cost, cost.CurvatureAt(z), gradient, 1e-3)
                               : Vector(cost.Hessian(z).llt().solve(gradient));
  if (!direction.allFinite()) return false;
  const double value = cost.Value(z);
  const double slope = gradient.dot(direction);
  for (double t = 1; t > 1e-4; t /= 2) {
    Vector next = z - t * direction;
    Project(next, constants.radius);
    // Near the minimum the values differ by rounding only; then the full step is the right one.
    const double gain = value - cost.Value(next);
    if (gain >= 1e-4 * t * slope || std::abs(gain) <= 1e-12 * std::abs(value)) {
      z = std::move(next);
      gradient = cost.Gradient(z);
      return true;
    }
  }
  return false;
}

// Quick steps for softmax: first with a sample of the events, then with all of them. Terminates for
// `enough` >= 0, since every step halves the gradient.
void QuickSoftmaxSteps(const MeanCost& cost, const Constants& constants, double enough, Vector& z,
                       Vector& gradient) {
  const std::int64_t inputs = z.size() / cost.loss().outputs();
  std::int64_t stride =
      std::max<std::int64_t>(1, cost.count() / std::max<std::int64_t>(kSample, 16 * inputs));
  while (gradient.norm() > enough) {
    Vector next = z - SolveBySteps(cost, cost.CurvatureAt(z, stride), gradient, 0.05);
    if (!next.allFinite()) return;
    Project(next, constants.radius);
    Vector gradient_there = cost.Gradient(next);
    if (gradient_there.norm() <= gradient.norm() / 2) {
      z = std::move(next);
      gradient = std::move(gradient_there);
    } else if (stride > 1) {
      stride = 1;
    } else {
      return;
    }
  }
}

// Takes quick steps while they help. One Hessian is used as long as each step with it reduces the
// gradient tenfold. Each step costs one pass over the events, and each Hessian a pass over a
// sample. Terminates for `enough` >= 0, since every step halves the gradient.
void QuickSteps(const MeanCost& cost, const Constants& constants, double enough, Vector& z,
                Vector& gradient) {
  if (cost.loss().is_softmax()) return QuickSoftmaxSteps(cost, constants, enough, z, gradient);
  const std::int64_t stride =
      std::max<std::int64_t>(1, cost.count() / std::max<std::int64_t>(kSample, 16 * z.size()));
  while (gradient.norm() > enough) {
    const Factor factor(cost.Hessian(z, stride));
    bool has_moved = false;
    for (bool is_good = true; is_good && gradient.norm() > enough;) {
      const double before = gradient.norm();
      if (!QuickStep(cost, constants, factor, z, gradient)) break;
      has_moved = true;
      is_good = gradient.norm() <= before / 10;
    }
    if (!has_moved) return;
  }
}

}  // namespace

// Three methods, from fast to certain: quick steps with a sampled Hessian, up to kNewtonSteps
// damped Newton steps, and then gradient descent with step 2/(beta+mu), which converges linearly.
// Whichever is used, only the test on the exact gradient ends the loop with success.
Status ResetTo(const MeanCost& cost, const Constants& constants, double tolerance, Vector& z) {
  const double margin = cost.GradientRounding(z.size());
  if (cost.count() == 0) {
    z.setZero();
    return Status::Ok();
  }
  const double step = constants.max_step();
  bool newton_works = true;
  Vector gradient = cost.Gradient(z);
  for (int i = 0; i < kNewtonSteps + kGradientSteps; ++i) {
    if (newton_works) QuickSteps(cost, constants, tolerance - margin, z, gradient);
    if (gradient.norm() + margin <= tolerance) return Status::Ok();
    newton_works = newton_works && i < kNewtonSteps && NewtonStep(cost, constants, z, gradient);
    if (newton_works) continue;
    z -= step * gradient;
    Project(z, constants.radius);
    gradient = cost.Gradient(z);
  }
  return {ErrorCode::kInternal,
          "the reset did not reach forgetting.active.tolerance; nothing was released; use "
          "a larger tolerance"};
}

double MinimiserRadius(const ModelSpec& model, const Constants& constants) {
  // An importance weight multiplies the loss, so it counts like a lambda that is smaller by as
  // much.
  const double R = constants.feature_norm;
  const double lambda = constants.mu / model.weight_bound;
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
    case LossKind::kSoftmax:
      return std::min(std::numbers::sqrt2 * R / lambda,
                      std::sqrt(2 * elementary::Log(static_cast<double>(model.classes)) / lambda));
  }
  return HUGE_VAL;
}

Status CheckReset(const Spec& spec, const Constants& constants, double tolerance, const char* who) {
  const ModelSpec& model = spec.model;
  const std::int64_t dimension = FeatureDimension(spec);
  const double least = MinimiserRadius(model, constants);
  char text[400];
  const std::int64_t weights = (dimension + 1) * (model.classes - 1);
  if (model.loss == LossKind::kSoftmax && weights > kMostSoftmaxWeights) {
    std::snprintf(text, sizeof text,
                  "%s solves for all weights together, and %lld features with %lld classes have "
                  "%lld of them; at most %lld. Use mode: rewind, or mode: active with variant: "
                  "ledger",
                  who, static_cast<long long>(dimension), static_cast<long long>(model.classes),
                  static_cast<long long>(weights), static_cast<long long>(kMostSoftmaxWeights));
    return {ErrorCode::kConfig, text};
  }
  if (!(constants.radius >= least)) {
    std::snprintf(text, sizeof text,
                  "%s needs every minimiser inside the ball, "
                  "so model.radius must be at least %.6g with this lambda (it is %.6g); enlarge "
                  "radius or lambda, or use mode: active with variant: ledger",
                  who, least, constants.radius);
    return {ErrorCode::kConfig, text};
  }
  const double rounding = MeanCost::GradientRounding(
      constants, kMostEvents, dimension + 1, model.loss == LossKind::kSoftmax ? model.classes : 0);
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
