#include "engine/privacy/noise.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/elementary.h"

namespace lethe {
namespace {

std::uint64_t Bits(const std::uint8_t* bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

// (bits + 1/2) 2^-64: uniform in (0, 1).
double Uniform(std::uint64_t bits) { return (static_cast<double>(bits) + 0.5) * 0x1p-64; }

// -log of a uniform number with 64 bits, precise at both ends: large values reach beyond 9 sigma,
// and small ones are not cut off by the spacing of doubles near 1.
double MinusLogUniform(std::uint64_t bits) {
  if (bits < (std::uint64_t{1} << 63)) return -elementary::Log(Uniform(bits));
  return -elementary::Log1p(-Uniform(~bits));
}

// The spacing before it is rounded up to a power of two. The first term keeps the rounding small
// against the noise; the second keeps multiples of the spacing up to the radius exact in a double.
double FineSpacing(double sigma, double radius) {
  return std::max(sigma * 0x1p-26, radius * 0x1p-52);
}

}  // namespace

double GridSpacing(double sigma, double radius) {
  const double least = FineSpacing(sigma, radius);
  int exponent = 0;
  const double fraction = std::frexp(least, &exponent);
  return std::ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
}

double GridShift(double sigma, double radius, std::int64_t dimension) {
  // The spacing is below twice its least value.
  return std::sqrt(static_cast<double>(dimension)) * 2 * FineSpacing(sigma, radius) *
         (1 + 4 * DBL_EPSILON);
}

double GridShiftPerSigma(std::int64_t dimension) {
  return std::sqrt(static_cast<double>(dimension)) * 0x1p-25 * (1 + 4 * DBL_EPSILON);
}

void AddGridNoise(Vector& z, double sigma, double radius, RandomSource& random,
                  const Stream& stream) {
  LETHE_CHECK(sigma > 0 && std::isfinite(sigma));
  const double spacing = GridSpacing(sigma, radius);
  const auto pairs = static_cast<std::size_t>((z.size() + 1) / 2);
  std::vector<std::uint8_t> bytes(pairs * 16);
  random.Fill(stream, bytes);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    // Box-Muller. In steps of the grid a draw is at most 2^30 and precise to 2^-52 of itself, so
    // its own rounding is about 1e-7 of a step.
    const auto angle = elementary::SinCosOfTurns(Uniform(Bits(&bytes[pair * 16 + 8])));
    const double length = sigma / spacing * std::sqrt(2 * MinusLogUniform(Bits(&bytes[pair * 16])));
    const double steps[2] = {std::round(length * angle.cos), std::round(length * angle.sin)};
    for (Eigen::Index k = 0; k < 2; ++k) {
      const auto i = static_cast<Eigen::Index>(2 * pair) + k;
      if (i < z.size()) z[i] = spacing * (std::round(z[i] / spacing) + steps[k]);
    }
  }
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
}

double Project(Vector& z, double radius) { return Project(z, z.squaredNorm(), radius); }

double Project(Vector& z, double squared_norm, double radius) {
  if (!(squared_norm > radius * radius)) return squared_norm;
  z *= radius / std::sqrt(squared_norm) * (1 - 8 * DBL_EPSILON);
  return z.squaredNorm();
}

}  // namespace lethe
