#include "engine/privacy/hull.h"

#include <limits>

namespace lethe {
namespace {

double EdgeCost(double rise, double run) { return rise * (rise / run) / 2; }

}  // namespace

// Pool adjacent violators: while the edge before `last` is at least as steep as `last`, the two are
// not convex and are replaced by their sum. The result is the lower convex hull.
std::size_t LowerHull::Pool(Edge& last) const {
  std::size_t k = edges_.size();
  while (k > 0 && edges_[k - 1].shift / edges_[k - 1].noise >= last.shift / last.noise) {
    --k;
    last.noise += edges_[k].noise;
    last.shift += edges_[k].shift;
  }
  last.cost = (k > 0 ? edges_[k - 1].cost : 0) + EdgeCost(last.shift, last.noise);
  return k;
}

void LowerHull::Add(double noise, double shift) {
  pending_ += shift;
  if (!(noise > 0)) return;
  Edge last{noise, pending_, 0};
  pending_ = 0;
  edges_.resize(Pool(last));
  edges_.push_back(last);
}

double LowerHull::CostWith(double noise, double shift) const {
  Edge last{noise, pending_ + shift, 0};
  if (!(noise > 0)) {
    if (last.shift > 0) return std::numeric_limits<double>::infinity();
    return edges_.empty() ? 0 : edges_.back().cost;
  }
  Pool(last);
  return last.cost;
}

}  // namespace lethe
