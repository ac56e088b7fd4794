#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/types.h"
#include "engine/ports/payloads.h"
#include "engine/spec/constants.h"
#include "engine/spec/loss.h"

namespace lethe {

// The regularised empirical risk F(z) = mean of w loss(<z,x>; y) over the retained events +
// (mu/2)|z|^2 and its derivatives; without events, the regulariser alone. The mean divides by the
// number of events and not by the sum of their importance weights w, because that sum would change
// with every weight. Value and Gradient sum
// pairwise over chunks of events, so that rounding grows with log n. Dense features only. Each call
// is one pass over the payloads. The payloads are borrowed and must outlive it; not thread-safe, as
// they are not. A failed read is reported by State::Commit, not here.
class MeanCost {
 public:
  MeanCost(const Loss& loss, const Constants& constants, const Payloads& payloads)
      : loss_(loss), constants_(constants), payloads_(payloads) {}

  std::int64_t count() const { return payloads_.count(); }
  const Loss& loss() const { return loss_; }

  double Value(const Vector& z) const;
  Vector Gradient(const Vector& z) const;
  // The Hessian, estimated from every stride-th chunk of events; exact, up to rounding, with stride
  // 1. It costs O(n d^2 / stride). For a loss with one output.
  Eigen::MatrixXd Hessian(const Vector& z, std::int64_t stride = 1) const;

  // For softmax, whose Hessian would have (d K)^2 numbers: what a product with it needs, from every
  // stride-th chunk of events, and the product H v itself, estimated from the same chunks. A
  // product costs O(n d K / stride).
  struct Curvature {
    std::int64_t stride = 1;
    std::vector<double> probabilities;  // K for each event
    std::int64_t events = 0;
  };
  Curvature CurvatureAt(const Vector& z, std::int64_t stride = 1) const;
  Vector HessianTimes(const Curvature& curvature, const Vector& v) const;

  // A bound on the rounding error of Gradient's norm, for n events (docs/guarantee.md, section 6).
  // `inputs` is the number of features, and `classes` that of a softmax.
  static double GradientRounding(const Constants& constants, std::int64_t n, std::int64_t inputs,
                                 std::int64_t classes = 0);
  // The same for this cost, whose models have `weights` weights.
  double GradientRounding(std::int64_t weights) const {
    return GradientRounding(constants_, count(), weights / loss_.outputs(),
                            loss_.is_softmax() ? loss_.scores() : 0);
  }

 private:
  Loss loss_;
  Constants constants_;
  const Payloads& payloads_;
};

}  // namespace lethe
