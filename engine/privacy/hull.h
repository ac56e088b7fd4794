#pragma once

#include <vector>

namespace lethe {

// The lower convex hull of cumulated (noise, shift) points, grown from the left, and the cost of
// its edges: each costs rise * rise / run / 2. See ShiftNoiseCurve for the reason. A value type;
// not thread-safe.
class LowerHull {
 public:
  // Adds a point to the right, by `noise` more variance and `shift` more shift. Amortised O(1). If
  // `noise` is zero no point is added, and the shift is added to the next point.
  void Add(double noise, double shift);

  // The cost of the hull with a further last point (noise, shift), which is not added. Infinite if
  // there is shift that no noise covers.
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

  // The number of edges that remain when `last` is appended. The edges after them are pooled into
  // `last`.
  std::size_t Pool(Edge& last) const;

  std::vector<Edge> edges_;
  double pending_ = 0;
};

}  // namespace lethe
