#pragma once

#include <vector>

namespace lethe {

// The lower convex hull of cumulated (noise, shift) points, grown from the left, with what its
// edges cost. See ShiftNoiseCurve.
class LowerHull {
 public:
  // Adds a point to the right: `noise` more variance, which covers `shift` more shift. Without
  // variance there is no point, and the shift moves on to the next.
  void Add(double noise, double shift);

  // The cost of the hull if a last point (noise, shift) were added; infinite if shift is left
  // over that no noise covers.
  double CostWith(double noise, double shift) const;

  // Shift added since the last point.
  double pending() const { return pending_; }

 private:
  // An edge of the hull, as its own rise and run: differences of cumulated sums would cancel when
  // an old draw is many orders of magnitude larger than a new one.
  struct Edge {
    double noise = 0;
    double shift = 0;
    double cost = 0;  // of the hull up to and including this edge
  };

  // How many edges stay when `last` is appended; those after it are pooled into `last`.
  std::size_t Pool(Edge& last) const;

  std::vector<Edge> edges_;
  double pending_ = 0;
};

}  // namespace lethe
