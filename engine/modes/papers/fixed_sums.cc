#include "engine/modes/papers/fixed_sums.h"

#include <cmath>

namespace lethe {
namespace {

__extension__ using Wide = __int128;

// The power of two that is 2^-30 of the bound, or a little more.
double UnitOf(double bound) { return std::ldexp(1.0, std::ilogb(bound) + 1 - 30); }

}  // namespace

FixedSums::FixedSums(Eigen::Index dimension, double feature_bound, double label_bound)
    : dimension_(dimension),
      x_unit_(UnitOf(feature_bound)),
      y_unit_(UnitOf(label_bound)),
      words_(static_cast<std::size_t>(dimension * (dimension + 1) + 2 * dimension), 0) {}

void FixedSums::AddTo(std::size_t k, std::int64_t a, std::int64_t b) {
  const auto bits = static_cast<unsigned __int128>(static_cast<Wide>(a) * b);
  std::uint64_t& low = words_[2 * k];
  const std::uint64_t before = low;
  low += static_cast<std::uint64_t>(bits);
  words_[2 * k + 1] += static_cast<std::uint64_t>(bits >> 64) + (low < before ? 1 : 0);
}

double FixedSums::Value(std::size_t k) const {
  const auto high = static_cast<std::int64_t>(words_[2 * k + 1]);
  return static_cast<double>(static_cast<Wide>(high) * (static_cast<Wide>(1) << 64) +
                             words_[2 * k]);
}

void FixedSums::Change(const Example& example, std::int64_t sign) {
  // An importance weight of at most 1 multiplies every product.
  const double root = std::sqrt(example.w);
  std::vector<std::int64_t> x;
  for (const double value : example.x) x.push_back(std::llround(root * value / x_unit_));
  const std::int64_t y = std::llround(root * example.y / y_unit_);
  std::size_t k = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    AddTo(k++, sign * x[i], y);
    for (std::size_t j = 0; j <= i; ++j) AddTo(k++, sign * x[i], x[j]);
  }
  count_ += sign;
}

Eigen::MatrixXd FixedSums::Outer() const {
  Eigen::MatrixXd outer(dimension_, dimension_);
  std::size_t k = 0;
  for (Eigen::Index i = 0; i < dimension_; ++i) {
    ++k;  // y x
    for (Eigen::Index j = 0; j <= i; ++j) {
      outer(i, j) = outer(j, i) = Value(k++) * x_unit_ * x_unit_;
    }
  }
  return outer;
}

Vector FixedSums::Pull() const {
  Vector pull(dimension_);
  std::size_t k = 0;
  for (Eigen::Index i = 0; i < dimension_; ++i) {
    pull[i] = Value(k) * x_unit_ * y_unit_;
    k += static_cast<std::size_t>(i) + 2;
  }
  return pull;
}

}  // namespace lethe
