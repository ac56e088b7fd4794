#include "app/replay/regret.h"

#include "app/replay/best_model.h"
#include "engine/base/check.h"

namespace lethe {

void Regret::Learn(const LearnedStep& step) {
  const Example& example = step.example;
  LETHE_CHECK(step.index.value == static_cast<std::int64_t>(y_.size()));
  paid_ += loss_.Value(step.prediction.score, example.y) + constants_.mu / 2 * step.squared_norm;
  x_.insert(x_.end(), example.x.begin(), example.x.end());
  y_.push_back(example.y);
}

void Regret::Forget(std::span<const Target> batch) {
  Deletion deletion{static_cast<std::int64_t>(y_.size()), {}};
  for (const Target& target : batch) deletion.indices.push_back(target.index.value);
  deletions_.push_back(std::move(deletion));
}

// Between two deletions the comparator is one model: the minimiser over all events of the recording
// except those deleted so far, events that are yet to come included. Its cost is summed over the
// events learned in that interval.
double Regret::Comparator() const {
  if (y_.empty()) return 0;
  const auto rows = static_cast<Eigen::Index>(y_.size());
  const Eigen::Map<const BestModel::Rows> x(x_.data(), rows,
                                            static_cast<Eigen::Index>(x_.size()) / rows);
  const Eigen::Map<const Vector> y(y_.data(), rows);
  BestModel best(loss_, constants_, x, y);
  double total = 0;
  Eigen::Index begin = 0;
  const auto pay = [&](Eigen::Index end) {
    if (begin == end) return;
    const Vector& z = best.Solve();
    const Vector p = x.middleRows(begin, end - begin) * z;
    for (Eigen::Index i = 0; i < p.size(); ++i) total += loss_.Value(p[i], y[begin + i]);
    total += static_cast<double>(end - begin) * constants_.mu / 2 * z.squaredNorm();
    begin = end;
  };
  for (const Deletion& deletion : deletions_) {
    pay(deletion.after);
    for (const std::int64_t index : deletion.indices) best.Remove(index);
  }
  pay(rows);
  return total;
}

}  // namespace lethe
