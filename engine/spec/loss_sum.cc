#include "engine/spec/loss_sum.h"

namespace lethe {

double LossSum::total() const {
  if (waiting_ == 0) return total_;
  Loss::Many values = p_;
  loss_.Values(y_, values);
  double total = total_;
  for (int i = 0; i < waiting_; ++i) total += values[i];
  return total;
}

void LossSum::AddPending() {
  total_ = total();
  waiting_ = 0;
}

void LossSum::Clear() {
  total_ = 0;
  count_ = 0;
  waiting_ = 0;
}

}  // namespace lethe
