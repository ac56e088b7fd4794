#pragma once

#include <cstdint>

#include "engine/base/double_double.h"
#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/ports/example.h"
#include "engine/spec/constants.h"

namespace lethe {

// The weights of a hashed model, as z = s v with a scalar s. Shrinking or projecting all weights
// multiplies s alone, so a step costs what the event has features, whatever the number of weights.
// |v|^2 is carried along, because to project one must know it.
//
// Two promises, for every stream: |z| <= radius, with s v as real numbers, and each step is within
// the rounding that Terms stands for of the exact one. s and the carried norm remember more of the
// past than z does: Take and Set leave nothing of them, and go around every noise draw.
//
// Reading never changes anything. A value type; not thread-safe.
class SparseModel {
 public:
  // Refuses (kConfig) constants for which squares of weights could overflow or vanish.
  static Status Check(const Constants& constants);

  // d of the ledger's round-off term (3d + 40) 2^-53 (r + eta L), such that it bounds the distance
  // of one Step from the exact step. A constant: how many features an event has is data.
  static std::int64_t Terms();

  // z = 0. `constants` must have passed Check; at most 2^kMaxHashBits + 1 weights.
  SparseModel(const Constants& constants, Eigen::Index dimension);

  // <z, x>
  double Dot(const Example& example) const;

  // A hint that the event is among the next to be learned.
  void Prefetch(const Example& example) const {
    for (const std::uint32_t at : example.at) __builtin_prefetch(v_.data() + at, 1);
  }

  // z <- Proj(shrink z - push x), 0 < shrink <= 1.
  void Step(double shrink, double push, const Example& example);

  // The weights with s multiplied in.
  Vector Dense() const { return scale_ * v_; }

  // Moves the weights out, with s = 1; then Set must follow.
  Vector Take();
  // z <- Proj(z). The state is then a function of `z` alone.
  void Set(Vector z);

  // |z|^2
  double squared_norm() const {
    const double ratio = scale_ * inverse_unit_;
    return ratio * ratio * squares_.high;
  }
  Eigen::Index dimension() const { return v_.size(); }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.steps_, self.scale_, self.unit_, self.inverse_unit_, self.v_, self.squares_);
  }

 private:
  // After s became smaller: keeps s and the carried norm away from the ends of a double.
  void Rescale();
  void Project();
  // Sums |v|^2 anew.
  void Recompute();

  double inner_radius_;
  double least_scale_;      // s is folded into v below this
  std::int64_t period_;     // steps between two sums of |v|^2
  std::int64_t steps_ = 0;  // since the last one
  double scale_ = 1;        // s
  double unit_ = 1;         // a power of two
  double inverse_unit_ = 1;
  Vector v_;
  DoubleDouble squares_;  // |unit v|^2
};

}  // namespace lethe
