#pragma once

#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "engine/base/types.h"
#include "engine/spec/constants.h"
#include "engine/spec/loss.h"

namespace lethe {

// The best fixed model: the minimiser over the ball of the mean cost of a set of rows, solved again
// and again while rows are removed. Each solve starts from the last solution, and keeps the factor
// of the Hessian while that converges fast enough. Borrows the rows. Not thread-safe.
class BestModel {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  BestModel(const Loss& loss, const Constants& constants, const Eigen::Map<const Rows>& x,
            const Eigen::Map<const Vector>& y);

  // Takes a row out of the mean. A row may be removed once.
  void Remove(Eigen::Index row);
  // The minimiser for the rows that are left; zero if none is. Valid until the next call.
  const Vector& Solve();

 private:
  // Sets z_ to the minimiser without the constraint, with `extra` added to the regularisation.
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
