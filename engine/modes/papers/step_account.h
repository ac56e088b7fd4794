#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/ports/target.h"

namespace lethe {

// The privacy accountant of algorithms that draw noise at every step. A step contracts distances by
// c, adds a shift of at most `shift` for every event in the mean cost, and then draws noise of
// variance `noise`. A shift may be absorbed by any draw from its own step on, so the divergence is
// read off the lower convex hull of the cumulated (noise, shift) of all steps, as in
// ShiftNoiseCurve. A value type; not thread-safe.
class StepAccount {
 public:
  // Consecutive steps on the same events.
  struct Steps {
    std::int64_t count = 0;
    std::int64_t learned = 0;  // the steps used the retained events before this index
    double noise = 0;          // variance of one draw
    double shift = 0;          // of one event at one step
    double rounding = 0;       // between two worlds at one step
    std::int64_t deleted = 0;  // the number of its events that are deleted by now

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.count, self.learned, self.noise, self.shift, self.rounding, self.deleted);
    }
  };

  explicit StepAccount(double contraction) : c_(contraction) {}

  void Add(const Steps& steps) { blocks_.push_back(steps); }

  // Records that later steps do not use these events.
  void Delete(std::span<const Target> batch);

  // A bound on the divergence between a world that learned all events deleted so far and one that
  // learned none of them, for everything released after the steps `next`. Requests must not depend
  // on released models.
  double Divergence(const Steps& next) const;

  // A bound on the divergence for everything ever released, one model after each Add, if requests
  // may depend on all of it. Given a released model both worlds are at the same point, so each
  // block costs only the shift that it added itself: (m s)^2/(2 v) (1+c)/(1-c) (1-c^k)/(1+c^k).
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
