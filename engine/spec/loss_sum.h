#pragma once

#include <cstdint>

#include "engine/spec/loss.h"

namespace lethe {

// The sum of losses, in the order in which they came. Since many at once are several times cheaper,
// the last ones wait; that changes no bit of the sum. Not thread-safe.
class LossSum {
 public:
  explicit LossSum(const Loss& loss) : loss_(loss) {}

  // The loss of a prediction p for the label y.
  void Add(double p, double y) {
    p_[waiting_] = p;
    y_[waiting_] = y;
    ++count_;
    if (++waiting_ == Loss::kMany) AddPending();
  }
  void Clear();

  double total() const;
  std::int64_t count() const { return count_; }

 private:
  void AddPending();

  Loss loss_;
  double total_ = 0;  // of those that do not wait
  std::int64_t count_ = 0;
  int waiting_ = 0;
  Loss::Many p_ = Loss::Many::Zero();
  Loss::Many y_ = Loss::Many::Zero();
};

}  // namespace lethe
