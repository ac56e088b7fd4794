#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "engine/privacy/curve.h"

namespace lethe {

// The shift-noise curve as its definition says, in extended precision: every event and every draw
// is kept, none is merged or dropped.
class ReferenceCurve {
 public:
  using Real = long double;
  using Group = ShiftNoiseCurve::Group;

  void AddShift(const Group& group, std::int64_t entered, double shift, double now) {
    shifts_.push_back({group, entered, shift, now});
  }
  void AddDraw(std::int64_t steps, double variance, double now) {
    draws_.push_back({steps, variance, now});
    std::erase_if(shifts_, [](const Shift& s) { return !s.group; });
  }

  // The divergence if a draw with this sigma were made now.
  Real CostWith(std::span<const Group> groups, Real sigma, Real extra, double now) const {
    auto draws = draws_;
    draws.push_back({std::numeric_limits<std::int64_t>::max(), sigma * sigma, now});
    std::vector<std::pair<Real, Real>> edges;  // (run, rise), slopes increasing
    Real waiting = 0;
    for (std::size_t j = 0; j < draws.size(); ++j) {
      Real run = draws[j].variance * std::exp(2 * (static_cast<Real>(now) - draws[j].log));
      Real rise = waiting + Entered(groups, j == 0 ? 0 : draws[j - 1].steps, draws[j].steps, now) +
                  (j + 1 == draws.size() ? extra : 0);
      waiting = run > 0 ? 0 : rise;
      if (!(run > 0)) continue;
      for (; !edges.empty() && rise * edges.back().first < edges.back().second * run;
           edges.pop_back()) {
        run += edges.back().first;
        rise += edges.back().second;
      }
      edges.emplace_back(run, rise);
    }
    Real cost = waiting > 0 ? std::numeric_limits<Real>::infinity() : 0;
    for (const auto& [run, rise] : edges) cost += rise * rise / run / 2;
    return cost;
  }

  Real LeastSigma(std::span<const Group> groups, Real rho, Real extra, double now) const {
    Real low = 0, high = 1e-30L;
    while (CostWith(groups, high, extra, now) > rho) high *= 2;
    for (int i = 0; i < 100; ++i) {
      const Real middle = (low + high) / 2;
      (CostWith(groups, middle, extra, now) <= rho ? high : low) = middle;
    }
    return high;
  }

 private:
  struct Shift {
    Group group;
    std::int64_t entered;
    Real shift;
    Real log;
  };
  struct Draw {
    std::int64_t steps;
    Real variance;
    Real log;
  };

  // What entered in (after, until], as it is now.
  Real Entered(std::span<const Group> groups, std::int64_t after, std::int64_t until,
               double now) const {
    Real sum = 0;
    for (const Shift& s : shifts_) {
      if (s.entered <= after || s.entered > until) continue;
      if (std::find(groups.begin(), groups.end(), s.group) == groups.end()) continue;
      sum += s.shift * std::exp(static_cast<Real>(now) - s.log);
    }
    return sum;
  }

  std::vector<Shift> shifts_;
  std::vector<Draw> draws_;
};

}  // namespace lethe
