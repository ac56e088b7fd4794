#pragma once

#include <cstdint>

#include "engine/spec/loss.h"

namespace lethe {

// The sum of losses in the order of the calls. The vectorised loss is several times cheaper, so the
// last predictions are buffered until there are Loss::kMany. Buffering changes no bit of the sum.
// Not thread-safe.
class LossSum {
 public:
  explicit LossSum(const Loss& loss) : loss_(loss) {}

  // Adds the loss of a prediction p for the label y.
  void Add(double p, double y) {
    p_[waiting_] = p;
    y_[waiting_] = y;
    ++count_;
    if (++waiting_ == Loss::kMany) AddPending();
  }
  // Adds the loss of the scores of all classes for the class y. For softmax, instead of Add.
  void AddScores(const double* scores, double y) {
    total_ += loss_.ValueOfScores(scores, y);
    ++count_;
  }
  void Clear();

  double total() const;
  std::int64_t count() const { return count_; }

 private:
  void AddPending();

  Loss loss_;
  double total_ = 0;  // without the buffered predictions
  std::int64_t count_ = 0;
  int waiting_ = 0;
  Loss::Many p_ = Loss::Many::Zero();
  Loss::Many y_ = Loss::Many::Zero();
};

}  // namespace lethe
