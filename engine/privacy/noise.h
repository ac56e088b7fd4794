#pragma once

#include "engine/base/types.h"
#include "engine/ports/random.h"

namespace lethe {

// Gaussian noise on a grid (docs/guarantee.md, section 3). The last bits of a sum of doubles depend
// on the exponents of its terms, and reveal the world however large the noise is. On a grid that
// both worlds share, the sum is exact. The noise is a Gaussian, computed by Box-Muller in doubles
// and rounded to the grid. Each point of the grid has its ideal probability up to a relative error
// of about 1e-7, because a draw that near to the middle between two points may be rounded to the
// wrong one. All functions are thread-safe.

// The grid's spacing: the smallest power of two >= max(sigma 2^-26, radius 2^-52).
double GridSpacing(double sigma, double radius);

// An upper bound on the distance that rounding to the grid adds between two worlds. Increases
// with sigma, and relative to sigma it decreases.
double GridShift(double sigma, double radius, std::int64_t dimension);

// GridShift(sigma) <= GridShift(0) + sigma GridShiftPerSigma.
double GridShiftPerSigma(std::int64_t dimension);

// z <- round(z) + round(xi) on the grid, xi ~ N(0, sigma^2 I) from `random`. Requires a positive
// and finite sigma. The random bytes are overwritten before it returns.
void AddGridNoise(Vector& z, double sigma, double radius, RandomSource& random,
                  const Stream& stream);

// z <- the nearest point of the ball, rounded to its inside. Returns |z|^2 afterwards.
double Project(Vector& z, double radius);
// As above, for a caller that knows |z|^2 already.
double Project(Vector& z, double squared_norm, double radius);

}  // namespace lethe
