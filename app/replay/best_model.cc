#include "app/replay/best_model.h"

#include <cmath>

namespace lethe {
namespace {

constexpr double kTolerance = 1e-10;  // of the mean gradient
constexpr int kPatience = 8;          // steps with an old factor before a new one is made
constexpr int kMostPasses = 500;

}  // namespace

BestModel::BestModel(const Loss& loss, const Constants& constants, const Eigen::Map<const Rows>& x,
                     const Eigen::Map<const Vector>& y)
    : loss_(loss),
      constants_(constants),
      x_(x),
      y_(y),
      weight_(Vector::Ones(y.size())),
      count_(static_cast<double>(y.size())),
      z_(Vector::Zero(x.cols())),
      slopes_(y.size()) {}

void BestModel::Remove(Eigen::Index row) {
  weight_[row] = 0;
  --count_;
}

Vector BestModel::Gradient(double extra) {
  const Vector p = x_ * z_;
  for (Eigen::Index i = 0; i < p.size(); ++i) slopes_[i] = weight_[i] * loss_.Slope(p[i], y_[i]);
  return x_.transpose() * slopes_ / std::max(count_, 1.0) + (constants_.mu + extra) * z_;
}

void BestModel::Factorise(double extra) {
  const Vector p = x_ * z_;
  Vector curvature(p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    curvature[i] = weight_[i] * loss_.Curvature(p[i], y_[i]) / std::max(count_, 1.0);
  }
  Eigen::MatrixXd hessian = x_.transpose() * curvature.asDiagonal() * x_;
  hessian.diagonal().array() += constants_.mu + extra;
  factor_.compute(hessian);
  has_factor_ = true;
}

void BestModel::SolveFree(double extra) {
  double last = HUGE_VAL;
  for (int pass = 0, since = 0; pass < kMostPasses; ++pass, ++since) {
    const Vector gradient = Gradient(extra);
    const double norm = gradient.norm();
    if (norm <= kTolerance) return;
    if (!has_factor_ || since >= kPatience || norm > last / 2) {
      Factorise(extra);
      since = 0;
    }
    last = norm;
    // Damped while far from the minimum, because the quadratic model holds only near its origin.
    Vector step = factor_.solve(gradient);
    const double limit = std::max(1.0, constants_.radius / 4);
    if (step.norm() > limit) step *= limit / step.norm();
    z_ -= step;
  }
}

const Vector& BestModel::Solve() {
  SolveFree(0);
  if (z_.norm() <= constants_.radius) return z_;
  // On the boundary: the multiplier that brings the norm down to the radius (KKT), by bisection.
  double low = 0;
  double high = constants_.mu;
  has_factor_ = false;
  for (SolveFree(high); z_.norm() > constants_.radius; SolveFree(high)) high *= 2;
  for (int i = 0; i < 60 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    SolveFree(middle);
    (z_.norm() > constants_.radius ? low : high) = middle;
  }
  SolveFree(high);
  has_factor_ = false;
  return z_;
}

}  // namespace lethe
