#include "tests/support/proof_gaussian.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lethe::proof {

void GaussianWorld::Learn(const Vector& x, double y, double eta, double lambda) {
  const Real shrink = 1 - static_cast<Real>(eta) * static_cast<Real>(lambda);
  const RealVector v = x.cast<Real>();
  const RealVector cv = covariance_ * v;
  const Real vcv = v.dot(cv);
  const Real step = eta;
  mean_ = shrink * mean_ - step * (v.dot(mean_) - static_cast<Real>(y)) * v;
  covariance_ = shrink * shrink * covariance_ -
                shrink * step * (cv * v.transpose() + v * cv.transpose()) +
                step * step * vcv * (v * v.transpose());
}

GaussianWorld::Quadratic GaussianWorld::MeanCostOf(std::span<const Example> events,
                                                   double lambda) const {
  const Eigen::Index d = mean_.size();
  Quadratic cost{static_cast<Real>(lambda) * RealMatrix::Identity(d, d), RealVector::Zero(d)};
  for (const Example& event : events) {
    const RealVector v = event.x.cast<Real>() / std::sqrt(static_cast<Real>(events.size()));
    cost.curvature += v * v.transpose();
    cost.pull +=
        static_cast<Real>(event.y) / static_cast<Real>(events.size()) * event.x.cast<Real>();
  }
  return cost;
}

void GaussianWorld::Descend(std::span<const Example> events, double eta, double lambda,
                            std::int64_t count) {
  const Eigen::Index d = mean_.size();
  const Quadratic cost = MeanCostOf(events, lambda);
  const RealMatrix step = RealMatrix::Identity(d, d) - static_cast<Real>(eta) * cost.curvature;
  for (; count > 0; --count) {
    mean_ = (step * mean_ + static_cast<Real>(eta) * cost.pull).eval();
    covariance_ = (step * covariance_ * step).eval();
  }
}

void GaussianWorld::Minimise(std::span<const Example> events, double lambda) {
  const Quadratic cost = MeanCostOf(events, lambda);
  mean_ = cost.curvature.ldlt().solve(cost.pull);
  covariance_.setZero();
}

void GaussianWorld::RemoveByNewton(std::span<const Example> retained,
                                   std::span<const Example> removed, double lambda) {
  const Eigen::Index d = mean_.size();
  const auto hessian = MeanCostOf(retained, lambda).curvature.ldlt();
  const auto share = static_cast<Real>(removed.size()) / static_cast<Real>(retained.size());
  const Quadratic cost = MeanCostOf(removed, lambda);
  const RealMatrix map =
      RealMatrix::Identity(d, d) + share * hessian.solve(RealMatrix(cost.curvature));
  mean_ = (map * mean_ - share * hessian.solve(cost.pull)).eval();
  covariance_ = (map * covariance_ * map.transpose()).eval();
}

void GaussianWorld::Draw(double sigma) {
  covariance_.diagonal().array() += static_cast<Real>(sigma) * static_cast<Real>(sigma);
}

// With S_a = C C^T, in the eigenbasis of C^-1 (S_b - S_a) C^-T (eigenvalues l, mean difference m),
//   alpha S_b + (1 - alpha) S_a -> 1 + alpha l,   S_b -> 1 + l,   S_a -> 1,
// and D_alpha(a || b) = alpha/2 sum m^2/(1 + alpha l)
//                       - 1/(2 (alpha - 1)) sum (log(1 + alpha l) - alpha log(1 + l))
// (Gil, Alajaji, Linder 2013, Table 2). The other direction swaps the roles of 1 and 1 + l.
double ExactRho(const GaussianWorld& a, const GaussianWorld& b, std::span<const double> orders) {
  using Real = GaussianWorld::Real;
  using RealMatrix = GaussianWorld::RealMatrix;
  const Eigen::LLT<RealMatrix> cholesky(a.covariance());
  if (cholesky.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  const auto c = cholesky.matrixL();
  const RealMatrix half = c.solve(RealMatrix(b.covariance() - a.covariance()));
  const RealMatrix whole = c.solve(RealMatrix(half.transpose()));
  const Eigen::SelfAdjointEigenSolver<RealMatrix> eigen((whole + whole.transpose()) / 2);
  const GaussianWorld::RealVector m =
      eigen.eigenvectors().transpose() * c.solve(a.mean() - b.mean());
  Real worst = 0;
  for (const double order : orders) {
    const Real alpha = order;
    // The coefficient of l in the mixed covariance: of a || b, then of b || a.
    for (const Real mixed : {alpha, 1 - alpha}) {
      Real shift = 0, volume = 0;
      for (Eigen::Index k = 0; k < m.size(); ++k) {
        const Real l = eigen.eigenvalues()[k];
        if (!(1 + mixed * l > 0)) return std::numeric_limits<double>::infinity();
        shift += m[k] * m[k] / (1 + mixed * l);
        volume += std::log1p(mixed * l) - mixed * std::log1p(l);
      }
      worst = std::max(worst, shift / 2 - volume / (2 * alpha * (alpha - 1)));
    }
  }
  return static_cast<double>(worst);
}

}  // namespace lethe::proof
