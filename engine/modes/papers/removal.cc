#include "engine/modes/papers/removal.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "engine/base/elementary.h"

namespace lethe::removal {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const RowMajor>;
using Labels = Eigen::Map<const Vector>;

double SpectralNorm(const Eigen::MatrixXd& outer) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(outer, Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, eigen.eigenvalues().maxCoeff()));
}

bool IsBefore(const EventIndex& index, std::int64_t limit) { return index.value < limit; }

}  // namespace

template <typename Use>
void Sums::ForEach(Eigen::Index dimension, Use use) const {
  payloads_.ForEachBlock([&](const PayloadBlock& block) {
    const auto end = std::lower_bound(block.indices.begin(), block.indices.end(), limit_, IsBefore);
    const Eigen::Index rows = end - block.indices.begin();
    if (rows == 0) return;
    use(Rows(block.x.data(), rows, dimension), Labels(block.y.data(), rows),
        Labels(block.w.data(), rows));
  });
}

std::int64_t Sums::count() const {
  std::int64_t count = 0;
  payloads_.ForEachBlock([&](const PayloadBlock& block) {
    count += std::lower_bound(block.indices.begin(), block.indices.end(), limit_, IsBefore) -
             block.indices.begin();
  });
  return count;
}

Vector Sums::Gradient(const Vector& w) const {
  Vector sum = lambda_ * static_cast<double>(count()) * w;
  ForEach(w.size(), [&](const Rows& x, const Labels& y, const Labels& weights) {
    Vector p = x * w;
    for (Eigen::Index i = 0; i < p.size(); ++i) p[i] = weights[i] * loss_.Slope(p[i], y[i]);
    sum.noalias() += x.transpose() * p;
  });
  return sum;
}

Eigen::MatrixXd Sums::Hessian(const Vector& w) const {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(w.size(), w.size());
  ForEach(w.size(), [&](const Rows& x, const Labels& y, const Labels& weights) {
    Vector p = x * w;
    for (Eigen::Index i = 0; i < p.size(); ++i) p[i] = weights[i] * loss_.Curvature(p[i], y[i]);
    sum.noalias() += x.transpose() * (p.asDiagonal() * x);
  });
  sum.diagonal().array() += lambda_ * static_cast<double>(count());
  return sum;
}

Eigen::MatrixXd Sums::Outer(Eigen::Index dimension) const {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(dimension, dimension);
  ForEach(dimension,
          [&](const Rows& x, const Labels&, const Labels&) { sum.noalias() += x.transpose() * x; });
  return sum;
}

double Sums::FourthPowers(const Vector& s) const {
  double sum = 0;
  ForEach(s.size(), [&](const Rows& x, const Labels&, const Labels&) {
    sum += (x * s).array().square().square().sum();
  });
  return sum;
}

double Train(const Sums& sums, const Vector& b, Vector& w) {
  constexpr int kMostSteps = 100;
  Vector gradient = sums.Gradient(w) + b;
  for (int i = 0; i < kMostSteps; ++i) {
    const Vector step = sums.Hessian(w).llt().solve(gradient);
    // Steps are halved until the gradient shrinks; when none does, rounding is all that is left.
    bool has_moved = false;
    for (double t = 1; t > 1e-6 && !has_moved; t /= 2) {
      const Vector next = w - t * step;
      Vector there = sums.Gradient(next) + b;
      has_moved = there.norm() < gradient.norm();
      if (has_moved) w = next, gradient = std::move(there);
    }
    if (!has_moved) break;
  }
  return gradient.norm();
}

Step RemovalStep(const Sums& retained, const Loss& loss, double lambda,
                 std::span<const Example> removed, const Vector& w) {
  Step step{static_cast<double>(removed.size()) * lambda * w, {}};
  for (const Example& example : removed) {
    step.gradient += example.w * loss.Slope(w.dot(example.x), example.y) * example.x;
  }
  step.s = retained.Hessian(w).llt().solve(step.gradient);
  return step;
}

double PrintedBound(const Eigen::MatrixXd& outer, const Vector& s, double R, double third) {
  const double xs = std::sqrt(std::max(0.0, s.dot(outer * s)));
  return third * R * SpectralNorm(outer) * s.norm() * xs;
}

double TighterBound(const Eigen::MatrixXd& outer, const Sums& retained, const Vector& s,
                    double third) {
  return third / 2 * SpectralNorm(outer) * std::sqrt(retained.FourthPowers(s));
}

double WorstCaseBound(double n, double lambda, double C, double third) {
  return 4 * third * C * C / (lambda * lambda * (n - 1));
}

double Budget(double sigma, double epsilon, double delta) {
  return sigma * epsilon / std::sqrt(2 * elementary::Log(1.5 / delta));
}

std::optional<Example> Find(const Payloads& payloads, EventIndex index, Eigen::Index dimension) {
  std::optional<Example> found;
  payloads.ForEachBlock([&](const PayloadBlock& block) {
    if (index < block.indices.front() || block.indices.back() < index) return;
    const auto at =
        std::lower_bound(block.indices.begin(), block.indices.end(), index.value, IsBefore);
    if (*at != index) return;
    const Eigen::Index row = at - block.indices.begin();
    found = Example{Labels(block.x.data() + row * dimension, dimension),
                    block.y[static_cast<std::size_t>(row)],
                    {},
                    block.w[static_cast<std::size_t>(row)]};
  });
  return found;
}

}  // namespace lethe::removal
