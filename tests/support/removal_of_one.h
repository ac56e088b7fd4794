#pragma once

#include <cmath>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "engine/modes/papers/removal.h"
#include "tests/support/mode_fixture.h"

namespace lethe::testing {

inline double LogDet(const Eigen::MatrixXd& matrix) {
  return std::log(std::abs(matrix.partialPivLu().determinant()));
}

// The removal of event 0 of a logistic problem from a model that was trained with the linear
// perturbation b.
class RemovalOfOne {
 public:
  RemovalOfOne(const std::vector<Example>& data, double lambda) : data_(data), lambda_(lambda) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      all_.Add({static_cast<std::int64_t>(i)}, data[i]);
      if (i > 0) rest_.Add({static_cast<std::int64_t>(i)}, data[i]);
    }
  }
  Vector Train(const Vector& b) const {
    Vector w = Vector::Zero(b.size());
    EXPECT_LT(removal::Train(sums_, b, w), 1e-9);
    return w;
  }
  removal::Step Step(const Vector& w) const {
    return removal::RemovalStep(retained_, loss_, lambda_, {data_.data(), 1}, w);
  }
  Vector Removed(const Vector& b) const {
    const Vector w = Train(b);
    return w + Step(w).s;
  }

  // The logarithm of the density of the removed model over the density of a model trained anew, at
  // the removed model of b ~ N(0, I). It has one part from b and one from determinants.
  struct LogRatio {
    double b, determinants;
  };
  LogRatio Formula(const Vector& b) const {
    const Vector w = Train(b), s = Step(w).s, after = w + s;
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(b.size(), b.size());
    for (std::size_t i = 1; i < data_.size(); ++i) {
      const Vector& x = data_[i].x;
      const double p = 1 / (1 + std::exp(-w.dot(x)));
      M += p * (1 - p) * (1 - 2 * p) * x.dot(s) * x * x.transpose();
    }
    const Vector other = BOf(after);
    const Eigen::MatrixXd before = sums_.Hessian(w);
    return {(other.squaredNorm() - b.squaredNorm()) / 2,
            LogDet(before) + LogDet(retained_.Hessian(w)) - LogDet(retained_.Hessian(after)) -
                LogDet(before - M)};
  }
  // The part from determinants, by finite differences of the two maps from b to a model.
  double Differences(const Vector& b) const {
    constexpr double kStep = 1e-4;
    const Vector there = -retained_.Gradient(Removed(b));
    const auto anew = [&](const Vector& c) {
      Vector w = Vector::Zero(c.size());
      removal::Train(retained_, c, w);
      return w;
    };
    Eigen::MatrixXd removed(b.size(), b.size()), trained(b.size(), b.size());
    for (Eigen::Index j = 0; j < b.size(); ++j) {
      const Vector h = kStep * Vector::Unit(b.size(), j);
      removed.col(j) = (Removed(b + h) - Removed(b - h)) / (2 * kStep);
      trained.col(j) = (anew(there + h) - anew(there - h)) / (2 * kStep);
    }
    return LogDet(trained) - LogDet(removed);
  }
  // The b with which training without the event leads to this model.
  Vector BOf(const Vector& model) const { return -retained_.Gradient(model); }
  const removal::Sums& retained() const { return retained_; }

 private:
  std::vector<Example> data_;
  double lambda_;
  Loss loss_{LossKind::kLogistic};
  MemoryPayloads all_, rest_;
  removal::Sums sums_{loss_, lambda_, all_, 1 << 30}, retained_{loss_, lambda_, rest_, 1 << 30};
};

}  // namespace lethe::testing
