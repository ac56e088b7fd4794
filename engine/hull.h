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
  struct Vertex {
    double noise = 0;
    double shift = 0;
    double cost = 0;   // of the hull up to here
    double slope = 0;  // of the edge that ends here
  };

  // The vertex to which a further point connects.
  std::size_t Tangent(double noise, double shift) const;

  std::vector<Vertex> vertices_{Vertex{}};
  double noise_ = 0;
  double shift_ = 0;
  double pending_ = 0;
};

}  // namespace lethe
