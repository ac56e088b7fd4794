#pragma once

#include <cstdint>
#include <span>

#include <Eigen/Dense>

#include "engine/base/types.h"
#include "engine/ports/example.h"

namespace lethe::proof {

// The exact law of a run with squared loss and no projection: every step is affine and every draw
// Gaussian, so the model is N(mean, covariance). In extended precision, because the divergence of
// two laws is made of their small differences. Independent of the engine's arithmetic.
class GaussianWorld {
 public:
  using Real = long double;
  using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

  explicit GaussianWorld(Eigen::Index dimension)
      : mean_(RealVector::Zero(dimension)), covariance_(RealMatrix::Zero(dimension, dimension)) {}

  // z <- M z + eta y x with M = (1 - eta lambda) I - eta x x^T.
  void Learn(const Vector& x, double y, double eta, double lambda);
  // `count` gradient steps on the mean cost of these events (none: the regulariser alone).
  void Descend(std::span<const Example> events, double eta, double lambda, std::int64_t count);
  // z <- the minimiser of the mean cost of these events.
  void Minimise(std::span<const Example> events, double lambda);
  // z <- z + (1/n) H^-1 times the gradients of `removed`, n and H those of the retained events.
  void RemoveByNewton(std::span<const Example> retained, std::span<const Example> removed,
                      double lambda);
  // z <- z + by.
  void Move(const Vector& by) { mean_ += by.cast<Real>(); }
  // z <- factor z.
  void Shrink(double factor) {
    mean_ *= factor;
    covariance_ *= static_cast<Real>(factor) * static_cast<Real>(factor);
  }
  // z <- z + N(0, sigma^2 I).
  void Draw(double sigma);

  const RealVector& mean() const { return mean_; }
  const RealMatrix& covariance() const { return covariance_; }

 private:
  // The mean cost is z^T curvature z / 2 - <pull, z> and a constant.
  struct Quadratic {
    RealMatrix curvature;
    RealVector pull;
  };
  Quadratic MeanCostOf(std::span<const Example> events, double lambda) const;

  RealVector mean_;
  RealMatrix covariance_;
};

// The largest D_alpha(a || b) / alpha over these orders, in both directions: the rho that the pair
// really needs. Infinite if an order is (alpha S_b + (1 - alpha) S_a not positive definite).
double ExactRho(const GaussianWorld& a, const GaussianWorld& b, std::span<const double> orders);

}  // namespace lethe::proof
