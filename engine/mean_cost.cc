#include "engine/mean_cost.h"

#include <cmath>
#include <optional>
#include <vector>

namespace lethe {
namespace {

// Sums values by halves, as they come: level k holds the sum of 2^k of them.
template <typename T>
class PairwiseSum {
 public:
  void Add(T value) {
    for (std::optional<T>& level : levels_) {
      if (!level) {
        level = std::move(value);
        return;
      }
      value += *level;
      level.reset();
    }
    levels_.push_back(std::move(value));
  }

  // `zero` if nothing was added.
  T Total(T zero) const {
    for (const std::optional<T>& level : levels_) {
      if (level) zero += *level;
    }
    return zero;
  }

 private:
  std::vector<std::optional<T>> levels_;
};

// Events summed one by one before they enter the pairwise sum; a constant in the error bound.
constexpr int kBlock = 8;

// Sums term(example) over all events; `add` adds one to a running value.
template <typename T, typename AddTerm>
T SumOverEvents(const Payloads& payloads, const T& zero, AddTerm add) {
  PairwiseSum<T> sum;
  T block = zero;
  int in_block = 0;
  payloads.ForEach([&](EventIndex, const Example& example) {
    add(block, example);
    if (++in_block < kBlock) return;
    sum.Add(block);
    block = zero;
    in_block = 0;
  });
  if (in_block > 0) sum.Add(block);
  return sum.Total(zero);
}

}  // namespace

double MeanCost::Value(const Vector& z) const {
  const double regulariser = constants_.mu / 2 * z.squaredNorm();
  if (count() == 0) return regulariser;
  const double total = SumOverEvents(payloads_, 0.0, [&](double& sum, const Example& example) {
    sum += loss_.Value(z.dot(example.x), example.y);
  });
  return total / static_cast<double>(count()) + regulariser;
}

Vector MeanCost::Gradient(const Vector& z) const {
  if (count() == 0) return constants_.mu * z;
  const Vector zero = Vector::Zero(z.size());
  const Vector total = SumOverEvents(payloads_, zero, [&](Vector& sum, const Example& example) {
    sum += loss_.Slope(z.dot(example.x), example.y) * example.x;
  });
  return total / static_cast<double>(count()) + constants_.mu * z;
}

Eigen::MatrixXd MeanCost::Hessian(const Vector& z) const {
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(z.size(), z.size());
  // A Newton step need not be exact, so the plain sum is enough here.
  payloads_.ForEach([&](EventIndex, const Example& example) {
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(
        example.x, loss_.Curvature(z.dot(example.x), example.y));
  });
  if (count() > 0) hessian /= static_cast<double>(count());
  hessian.diagonal().array() += constants_.mu;
  return hessian.selfadjointView<Eigen::Lower>();
}

double MeanCost::GradientRounding(const Constants& constants, std::int64_t n,
                                  std::int64_t dimension) {
  const double depth = n <= 1 ? 0 : 2 * std::log2(static_cast<double>(n));
  return 0x1p-53 * ((depth + 30) * constants.L +
                    (2 * static_cast<double>(dimension) + 20) * constants.beta * constants.radius);
}

}  // namespace lethe
