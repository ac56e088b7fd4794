#pragma once

#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "engine/base/types.h"
#include "engine/spec/constants.h"
#include "engine/spec/loss.h"

namespace lethe {

// The minimiser over the ball of the mean cost of a set of rows, solved again and again while rows
// leave. Each solve starts from the last one and keeps its Hessian while that is good enough.
class BestModel {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // The data is borrowed.
  BestModel(const Loss& loss, const Constants& constants, const Eigen::Map<const Rows>& x,
            const Eigen::Map<const Vector>& y);

  void Remove(Eigen::Index row);
  const Vector& Solve();

 private:
  // The minimiser with `extra` more regularisation, anywhere.
  void SolveFree(double extra);
  Vector Gradient(double extra);
  void Factorise(double extra);

  Loss loss_;
  Constants constants_;
  Eigen::Map<const Rows> x_;
  Eigen::Map<const Vector> y_;
  Vector weight_;  // 1 while a row counts, else 0
  double count_;
  Vector z_;
  Vector slopes_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  bool has_factor_ = false;
};

}  // namespace lethe
