#pragma once

#include <cstdint>

#include "engine/base/types.h"
#include "engine/ports/payloads.h"
#include "engine/spec/constants.h"
#include "engine/spec/loss.h"

namespace lethe {

// The regularised empirical risk F(z) = mean of loss(<z,x>; y) over the retained events +
// (mu/2)|z|^2 and its derivatives; without events, the regulariser alone. Value and Gradient sum
// pairwise over chunks of events, so that rounding grows with log n. Dense features only. Each call
// is one pass over the payloads. The payloads are borrowed and must outlive it; not thread-safe, as
// they are not. A failed read is reported by State::Commit, not here.
class MeanCost {
 public:
  MeanCost(const Loss& loss, const Constants& constants, const Payloads& payloads)
      : loss_(loss), constants_(constants), payloads_(payloads) {}

  std::int64_t count() const { return payloads_.count(); }

  double Value(const Vector& z) const;
  Vector Gradient(const Vector& z) const;
  // The Hessian, estimated from every stride-th chunk of events; exact, up to rounding, with stride
  // 1. It costs O(n d^2 / stride).
  Eigen::MatrixXd Hessian(const Vector& z, std::int64_t stride = 1) const;

  // A bound on the rounding error of Gradient's norm, for n events (docs/guarantee.md, section 6).
  static double GradientRounding(const Constants& constants, std::int64_t n,
                                 std::int64_t dimension);

 private:
  Loss loss_;
  Constants constants_;
  const Payloads& payloads_;
};

}  // namespace lethe
