#pragma once

#include "engine/base/types.h"
#include "engine/ports/random.h"

namespace lethe {

// Gaussian noise on a grid (docs/guarantee.md, section 3). Sums of doubles carry the exponent of
// what was added in their last bits, and give a world away however large the noise is. On a grid
// that both worlds share, the sum is exact. The noise itself is a Gaussian rounded to the grid, as
// Box-Muller in doubles gives it: each point of the grid has its ideal probability to about 1e-7 of
// it, because a draw that falls so near to the middle of two points may be rounded to the other.

// The grid's spacing: the smallest power of two >= max(sigma 2^-26, radius 2^-52).
double GridSpacing(double sigma, double radius);

// An upper bound on the distance that rounding to the grid adds between two worlds. Increases
// with sigma, and relative to sigma it decreases.
double GridShift(double sigma, double radius, std::int64_t dimension);

// GridShift(sigma) <= GridShift(0) + sigma GridShiftPerSigma.
double GridShiftPerSigma(std::int64_t dimension);

// z <- round(z) + round(xi) on the grid, xi ~ N(0, sigma^2 I) from `random`.
void AddGridNoise(Vector& z, double sigma, double radius, RandomSource& random,
                  const Stream& stream);

// z <- the nearest point of the ball, never a rounding outside. Returns |z|^2 afterwards.
double Project(Vector& z, double radius);
// The same, if |z|^2 is known.
double Project(Vector& z, double squared_norm, double radius);

}  // namespace lethe
