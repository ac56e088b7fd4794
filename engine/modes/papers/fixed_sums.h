#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "engine/ports/example.h"

namespace lethe {

// The sums of x x^T and of y x in fixed point. Additions are exact, so subtracting an example
// leaves the bits of a sum that never included it. Features and labels are rounded to 2^-30 of
// their bounds. A value type; not thread-safe.
class FixedSums {
 public:
  FixedSums(Eigen::Index dimension, double feature_bound, double label_bound);

  void Add(const Example& example) { Change(example, 1); }
  void Subtract(const Example& example) { Change(example, -1); }

  std::int64_t count() const { return count_; }
  Eigen::MatrixXd Outer() const;  // sum of x x^T
  Vector Pull() const;            // sum of y x
  std::int64_t bytes() const { return static_cast<std::int64_t>(8 * words_.size()); }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.count_, self.words_);
  }

 private:
  void Change(const Example& example, std::int64_t sign);
  // The k-th sum is words 2k and 2k+1, least significant first, in two's complement.
  void AddTo(std::size_t k, std::int64_t a, std::int64_t b);
  double Value(std::size_t k) const;

  Eigen::Index dimension_;
  double x_unit_, y_unit_;
  std::int64_t count_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace lethe
