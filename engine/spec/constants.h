#pragma once

#include "engine/base/status.h"
#include "engine/spec/spec.h"

namespace lethe {

// The constants of all bounds (docs/guarantee.md, section 1). They are derived from the bounds that
// EventValidator enforces and never configured. The costs are f(z) = loss(<z,x>; y) + (mu/2)|z|^2
// on the ball of radius r. G bounds the gradient of the loss part, L that of f, and f is
// beta-smooth and mu-strongly convex on the ball. All are rounded to the safe side. A value type.
// Here mu is the strong convexity (model.lambda), not the mu of a Promise.
struct Constants {
  double feature_norm = 0;  // R: the bound on |x|, bias and rounding included
  double radius = 0;        // r
  double G = 0;
  double L = 0;
  double beta = 0;
  double mu = 0;

  double diameter() const { return 2 * radius; }
  // The largest step size that does not expand distances: 2/(beta+mu), rounded down.
  double max_step() const;

  // Fails (kConfig) if a scale or a derived constant is not between 1e-30 and 1e30; the message
  // names the key.
  static Result<Constants> Derive(const ModelSpec& model);
};

// The factor by which one gradient step of size eta <= max_step contracts distances, rounded up:
// c(eta) = max(|1 - eta mu|, |1 - eta beta|).
double Contraction(const Constants& constants, double eta);

}  // namespace lethe
