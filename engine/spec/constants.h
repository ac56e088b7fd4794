#pragma once

#include "engine/base/status.h"
#include "engine/spec/spec.h"

namespace lethe {

// The constants that every bound rests on (docs/guarantee.md, section 1). Derived from what the
// validator enforces, never typed in. The costs are f(z) = loss(<z,x>; y) + (mu/2)|z|^2 on the ball
// of radius r; G bounds the gradient of the loss part, L that of f, and f is beta-smooth and
// mu-strongly convex there.
struct Constants {
  double feature_norm = 0;  // R: the bound on |x|, bias and rounding included
  double radius = 0;        // r
  double G = 0;
  double L = 0;
  double beta = 0;
  double mu = 0;

  double diameter() const { return 2 * radius; }
  // The largest step that does not expand: 2/(beta+mu), rounded down.
  double max_step() const;

  // Fails (kConfig) when a scale or a constant is not a positive number whose square can be
  // computed with, and says which.
  static Result<Constants> Derive(const ModelSpec& model);
};

// By how much one gradient step of size eta <= max_step shrinks distances, rounded up:
// c(eta) = max(|1 - eta mu|, |1 - eta beta|).
double Contraction(const Constants& constants, double eta);

}  // namespace lethe
