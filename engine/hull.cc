#include "engine/hull.h"

#include <limits>

namespace lethe {
namespace {

double EdgeCost(double rise, double run) { return rise * (rise / run) / 2; }

}  // namespace

std::size_t LowerHull::Tangent(double noise, double shift) const {
  std::size_t k = vertices_.size() - 1;
  while (k > 0) {
    const Vertex& v = vertices_[k];
    if (shift - v.shift >= v.slope * (noise - v.noise)) break;
    --k;
  }
  return k;
}

void LowerHull::Add(double noise, double shift) {
  pending_ += shift;
  if (!(noise > 0)) return;
  noise_ += noise;
  shift_ += pending_;
  pending_ = 0;
  const std::size_t k = Tangent(noise_, shift_);
  vertices_.resize(k + 1);
  const Vertex& from = vertices_.back();
  const double run = noise_ - from.noise;
  const double rise = shift_ - from.shift;
  if (!(run > 0)) {
    // So little more variance that the sum did not move: the point replaces its predecessor's
    // shift by letting it wait for the next draw.
    pending_ = rise;
    shift_ = from.shift;
    return;
  }
  vertices_.push_back({noise_, shift_, from.cost + EdgeCost(rise, run), rise / run});
}

double LowerHull::CostWith(double noise, double shift) const {
  const double end_noise = noise_ + noise;
  const double end_shift = shift_ + pending_ + shift;
  const Vertex& from = vertices_[Tangent(end_noise, end_shift)];
  const double run = end_noise - from.noise;
  const double rise = end_shift - from.shift;
  if (!(rise > 0)) return from.cost;
  if (!(run > 0)) return std::numeric_limits<double>::infinity();
  return from.cost + EdgeCost(rise, run);
}

}  // namespace lethe
