#pragma once

#include <cstdint>

#include "engine/base/types.h"
#include "engine/ports/payloads.h"
#include "engine/spec/constants.h"
#include "engine/spec/loss.h"

namespace lethe {

// F(z) = mean over the retained events of loss(<z,x>; y) + (mu/2)|z|^2; without events the
// regulariser alone. Sums over events are pairwise, in chunks, so that rounding grows with log n.
// References are borrowed.
class MeanCost {
 public:
  MeanCost(const Loss& loss, const Constants& constants, const Payloads& payloads)
      : loss_(loss), constants_(constants), payloads_(payloads) {}

  std::int64_t count() const { return payloads_.count(); }

  double Value(const Vector& z) const;
  Vector Gradient(const Vector& z) const;
  // Of every stride-th chunk of events alone: a good guess from many events at a small price.
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
