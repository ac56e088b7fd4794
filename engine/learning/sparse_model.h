#pragma once

#include <cstdint>

#include "engine/base/double_double.h"
#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/ports/example.h"
#include "engine/spec/constants.h"
#include "engine/spec/loss.h"

namespace lethe {

// The weights of a hashed model, stored as z = s v with a scalar s. Shrinking or projecting all
// weights multiplies s alone, so a step costs O(features of the event), whatever the number of
// weights. |v|^2 is maintained incrementally, because the projection needs it.
//
// Two invariants hold for every stream: |z| <= radius, with s v as real numbers; and each step
// differs from the exact one by at most the rounding that Terms describes. The scalar s and the
// maintained norm depend on more of the past than z does. Take and Set, which enclose every noise
// draw, reset both.
//
// Reading changes nothing. A value type; not thread-safe. No operation fails at run time: constants
// and dimensions out of range are programming errors and end the process.
class SparseModel {
 public:
  // Fails (kConfig) for constants with which squares of weights could overflow or vanish.
  static Status Check(const Constants& constants);

  // The d in the ledger's round-off term (3d + 40) 2^-53 (r + eta L), such that the term bounds the
  // distance of one Step from the exact step. It is a constant, because the number of features of
  // an event is private data.
  static std::int64_t Terms(const Loss& loss);

  // z = 0. `constants` must have passed Check; at most 2^kMaxHashBits + 1 features, each with
  // `outputs` weights.
  SparseModel(const Constants& constants, Eigen::Index features, int outputs = 1);

  // <z, x>, for one output.
  double Dot(const Example& example) const;
  // The outputs u = z' x, for any number of outputs.
  void Multiply(const Example& example, double* u) const;

  // A hint that the event will be learned soon.
  void Prefetch(const Example& example) const {
    const auto outputs = static_cast<std::size_t>(outputs_);
    for (const std::uint32_t at : example.at) __builtin_prefetch(v_.data() + at * outputs, 1);
  }

  // z <- Proj(shrink z - push x), 0 < shrink <= 1.
  // For one output.
  void Step(double shrink, double push, const Example& example);
  // The same with a push for each output; the model becomes shrink z - x push'.
  void Step(double shrink, const double* push, const Example& example);

  // The weights with s multiplied in.
  Vector Dense() const { return scale_ * v_; }

  // Moves the weights out, multiplied by s. The model is empty until Set, which must follow.
  Vector Take();
  // Sets the weights to Proj(z). The whole object is then a function of the argument alone.
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
  // Called when s became smaller: keeps s and the maintained norm within the range of a double.
  void Rescale();
  void Project();
  void FinishStep();
  // Computes |v|^2 from all weights.
  void Recompute();

  int outputs_;
  double inner_radius_;     // the radius that Project uses, smaller by the error of the norm
  double least_scale_;      // below this, s is folded into v
  std::int64_t period_;     // steps between two calls of Recompute
  std::int64_t steps_ = 0;  // since the last Recompute
  double scale_ = 1;        // s
  double unit_ = 1;         // a power of two, which keeps squares_ finite
  double inverse_unit_ = 1;
  Vector v_;
  DoubleDouble squares_;  // |unit v|^2
};

}  // namespace lethe
