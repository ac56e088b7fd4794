#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/ports/target.h"

namespace lethe {

// What noise at every step promises about deleted events. A step contracts distances by c, brings
// in anew at most `shift` of every event that is part of the mean cost, and then draws noise of
// variance `noise`. Shift may be absorbed by any draw from its own step on, so the divergence is
// read off the lower convex hull of the cumulated (noise, shift) of all steps, as in
// ShiftNoiseCurve. A value type; not thread-safe.
class StepAccount {
 public:
  // Consecutive steps on the same events.
  struct Steps {
    std::int64_t count = 0;
    std::int64_t learned = 0;  // events before this index were part, if they were retained
    double noise = 0;          // variance of one draw
    double shift = 0;          // of one event at one step
    double rounding = 0;       // between two worlds at one step
    std::int64_t deleted = 0;  // of its events, how many are deleted by now

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.count, self.learned, self.noise, self.shift, self.rounding, self.deleted);
    }
  };

  explicit StepAccount(double contraction) : c_(contraction) {}

  void Add(const Steps& steps) { blocks_.push_back(steps); }

  // These events leave what later steps are made on.
  void Delete(std::span<const Target> batch);

  // Bounds the divergence between a world that learned all events deleted so far and one that
  // learned none, from what is released after these further steps on; for requests that do not
  // depend on anything released.
  double Divergence(const Steps& next) const;

  // The same from everything that was ever released, one model after each Add, when requests may
  // depend on all of it. Given a released model both worlds stand at the same point, so each block
  // costs what it brought in itself: (m s)^2/(2 v) (1+c)/(1-c) (1-c^k)/(1+c^k).
  double AdaptiveDivergence() const;

  std::int64_t bytes() const { return static_cast<std::int64_t>(blocks_.size() * sizeof(Steps)); }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.blocks_);
  }

 private:
  double c_;
  std::vector<Steps> blocks_;
};

}  // namespace lethe
