#include "engine/learning/invariant_step.h"

#include <algorithm>
#include <cmath>

#include "engine/base/elementary.h"

namespace lethe {
namespace {

constexpr double kShort = 1e-6;  // a shorter reach moves in a straight line
constexpr double kSettled = 30;  // beyond this margin, too
constexpr int kNewtonSteps = 3;

// The margin m = y p obeys dm/dt = 1 / (1 + e^m), so m + e^m grows by `reach`. Newton's method from
// above converges monotonically, because m + e^m is convex. Its first iterate from the old margin
// is the step in a straight line; the logarithm of the sum is above the solution as well.
double LogisticMove(double m, double reach) {
  const double e = elementary::Exp(m);
  const double straight = reach / (1 + e);
  if (m > kSettled || reach < kShort) return straight;
  const double target = m + e + reach;
  double margin = m + straight;
  if (target > 1) margin = std::min(margin, elementary::Log(target));
  for (int i = 0; i < kNewtonSteps; ++i) {
    const double power = elementary::Exp(margin);
    margin -= (margin + power - target) / (1 + power);
  }
  return margin - m;
}

}  // namespace

double ParabolaMove(double slope, double curvature, double reach) {
  const double bend = curvature * reach;
  if (bend < kShort) return -slope * reach;
  return -slope * (1 - elementary::Exp(-bend)) / curvature;
}

double InvariantMove(const Loss& loss, double p, double y, double reach) {
  if (loss.kind() != LossKind::kLogistic) return ParabolaMove(loss.Slope(p, y), 1, reach);
  return y * LogisticMove(y * p, reach);
}

}  // namespace lethe
