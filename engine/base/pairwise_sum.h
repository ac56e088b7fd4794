#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace lethe {

// A streaming pairwise sum, like a binary counter: level k is empty or holds the sum of 2^k values.
// Each of m values takes part in at most log2(m) + 2 additions, so the rounding error grows with
// log m. Not thread-safe.
template <typename T>
class PairwiseSum {
 public:
  explicit PairwiseSum(T zero) : zero_(std::move(zero)) {}

  // Adds `value`, which is unspecified afterwards; its storage is reused.
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
  std::uint64_t count_ = 0;  // bit k is set if level k holds a sum
};

}  // namespace lethe
