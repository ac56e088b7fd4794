#include <algorithm>
#include <cmath>

#include "engine/base/elementary.h"
#include "engine/modes/papers/noisy_gd.h"

namespace lethe::noisy_gd {
namespace {

double Kappa(const Constants& c) { return c.beta / c.mu; }

std::int64_t AtLeastOne(double steps) {
  return static_cast<std::int64_t>(std::max(1.0, std::ceil(steps)));
}

}  // namespace

double Order(double epsilon, double delta) { return 1 + 2 * -elementary::Log(delta) / epsilon; }

double Scale(const Constants& c, double n, double q, double eps_dp) {
  return 2 * c.G / n * std::sqrt(q / (c.mu * eps_dp));
}

std::int64_t TrainingSteps(const Constants& c, double n, double dimension, double q,
                           double eps_dp) {
  return AtLeastOne(4 * Kappa(c) * elementary::Log(eps_dp * n * n / (4 * q * dimension)));
}

std::int64_t DeletionSteps(const Constants& c, double dimension, double q, double eps_dp,
                           double eps_dd, double edits) {
  const double gain =
      std::max({eps_dp / eps_dd, 5 * Kappa(c), 8 * eps_dp * edits * edits / (q * dimension)});
  return AtLeastOne(4 * Kappa(c) * elementary::Log(gain));
}

double StartSigma(const Constants& c, double scale) {
  const double eta = 1 / (2 * c.beta);
  return scale / std::sqrt(c.mu * (1 - eta * c.mu / 2));
}

double NoiseOfStep(const Constants& c, double contraction, double n, double mu) {
  const double e = 2 * c.G / (c.mu * n);
  return (1 - contraction * contraction) * e * e / (mu * mu);
}

}  // namespace lethe::noisy_gd
