#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace lethe {

// Sums values by halves, as they come: level k holds the sum of 2^k of them. Of m values each takes
// part in at most log2(m) + 2 additions, so rounding grows with log m.
template <typename T>
class PairwiseSum {
 public:
  explicit PairwiseSum(T zero) : zero_(std::move(zero)) {}

  // `value` is used up.
  void Add(T& value) {
    std::size_t level = 0;
    for (; count_ >> level & 1; ++level) value += levels_[level];
    if (level == levels_.size()) levels_.push_back(zero_);
    std::swap(levels_[level], value);
    ++count_;
  }

  T Total() const {
    T total = zero_;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if (count_ >> level & 1) total += levels_[level];
    }
    return total;
  }

 private:
  T zero_;
  std::vector<T> levels_;
  std::uint64_t count_ = 0;  // its bits say which levels hold something
};

}  // namespace lethe
