#include "engine/modes/papers/d2d.h"

#include <algorithm>
#include <cmath>

#include "engine/base/elementary.h"

namespace lethe::d2d {
namespace {

double SqrtDifference(double larger, double smaller) {
  return (larger - smaller) / (std::sqrt(larger) + std::sqrt(smaller));
}

std::int64_t RoundUp(double steps) { return static_cast<std::int64_t>(std::ceil(steps)); }

}  // namespace

double LogGain(const Constants& c) { return elementary::Log((c.beta + c.mu) / (c.beta - c.mu)); }

double Shrink(const Constants& c, double steps) { return elementary::Exp(-steps * LogGain(c)); }

double AllowedRatio(double epsilon, double delta) {
  const double log = -elementary::Log(delta);
  return std::sqrt(2.0) * SqrtDifference(log + epsilon, log);
}

std::int64_t TrainingSteps(const Constants& c, double n, std::int64_t steps) {
  const double gain = c.diameter() * c.mu * n / (2 * c.L);
  if (gain <= 1) return steps;
  return RoundUp(static_cast<double>(steps) + elementary::Log(gain) / LogGain(c));
}

double StrongSigma(const Constants& c, double n, std::int64_t steps, double epsilon, double delta) {
  const double shrink = Shrink(c, static_cast<double>(steps));
  return 8 * c.L * shrink / (c.mu * n * (1 - shrink)) / AllowedRatio(epsilon, delta);
}

double PerfectLeastSteps(const Constants& c, double dimension, double epsilon, double delta,
                         double factor) {
  const double a = 2 * elementary::Log(2 / delta);
  const double gamma = Shrink(c, 1);
  return elementary::Log(std::sqrt(factor * dimension) /
                         ((1 - gamma) * SqrtDifference(a + epsilon, a))) /
         LogGain(c);
}

double PerfectSigma(const Constants& c, double n, std::int64_t steps, double epsilon,
                    double delta) {
  const double a = 2 * elementary::Log(2 / delta);
  const double shrink = Shrink(c, static_cast<double>(steps));
  return 8 * c.L * shrink /
         ((1 - shrink) * c.mu * n * SqrtDifference(a + 3 * epsilon, a + 2 * epsilon));
}

std::int64_t PerfectUpdateSteps(const Constants& c, double dimension, std::int64_t steps,
                                std::int64_t i, double delta) {
  const double log = elementary::Log(4 * dimension * static_cast<double>(i) / delta);
  return RoundUp(static_cast<double>(steps) + elementary::Log(log) / LogGain(c));
}

double RegularisedStrength(const Constants& c, double dimension, double n, std::int64_t steps,
                           double epsilon, double delta) {
  const double smoothness = c.beta - c.mu;
  return elementary::Pow(c.G * elementary::Pow(smoothness, 1.5) *
                             std::sqrt(dimension * -elementary::Log(delta)) /
                             (c.diameter() * epsilon * n * static_cast<double>(steps)),
                         0.4);
}

Constants WithRegulariser(const Constants& c, double m) {
  constexpr double kUp = 1 + 0x1p-50;
  Constants changed = c;
  changed.mu = m;
  changed.L = (c.G + m * c.radius) * kUp;
  changed.beta = (c.beta - c.mu + m) * kUp;
  return changed;
}

double WeakStrength(const Constants& c, double dimension, double n, std::int64_t steps,
                    double epsilon, double delta) {
  const double smoothness = c.beta - c.mu;
  return std::sqrt(c.G * smoothness * std::sqrt(dimension * -elementary::Log(delta)) /
                   (c.diameter() * epsilon * n * std::sqrt(static_cast<double>(steps))));
}

std::int64_t WeakUpdateSteps(std::int64_t steps, std::int64_t i) { return i * i * steps; }

double WeakSigma(const Constants& c, double m, double n, std::int64_t steps, double epsilon,
                 double delta) {
  const double smoothness = c.beta - c.mu, I = static_cast<double>(steps);
  // AllowedRatio is sqrt 2 times the difference of roots that the theorem has there.
  return 4 * std::sqrt(smoothness) * (c.G + m * c.diameter()) /
         (m * std::sqrt(m * I) * n * AllowedRatio(epsilon, delta));
}

double WeakSigmaOfProof(const Constants& c, double m, double n, std::int64_t steps, double epsilon,
                        double delta) {
  const double shrink = Shrink(WithRegulariser(c, m), static_cast<double>(steps));
  return 8 * (c.G + m * c.diameter()) * shrink / (m * n * AllowedRatio(epsilon, delta));
}

double OptimumShift(const Constants& c, double deleted, double n_before, double added,
                    double n_after) {
  double share = 0;
  if (deleted > 0) share += deleted / n_before;
  if (added > 0) share += added / n_after;
  return std::min(c.L, 2 * c.G) / c.mu * share;
}

double TrainingError(const Constants& c, double n, std::int64_t steps) {
  return Shrink(c, static_cast<double>(TrainingSteps(c, n, steps))) *
         std::min(c.radius, c.G / c.mu);
}

Partitions::Partitions(double size, std::int64_t steps)
    : n(size), K(static_cast<std::int64_t>(std::ceil(std::sqrt(size)))) {
  const auto k = static_cast<double>(K);
  A = k * n * n * static_cast<double>(steps) / (k * k * k * k);
}

std::int64_t Partitions::TrainingSteps(const Constants& c, double delta) const {
  const auto slots = static_cast<double>(K * K);
  const double gain = c.diameter() * c.mu / c.L * slots * (1 + 10 * elementary::Log(2 / delta));
  return RoundUp(A + std::max(elementary::Log(gain), 0.0) / LogGain(c));
}

std::int64_t Partitions::PrintedSteps(const Constants& c, std::int64_t steps, std::int64_t i,
                                      std::int64_t touched, double delta) const {
  const auto k = static_cast<double>(K), slots = k * k, number = static_cast<double>(i);
  const double log = 10 * elementary::Log(2 * number / delta);
  const double all =
      log * (static_cast<double>(steps) +
             slots * slots / (k * n * n) * elementary::Log1p(number * log) / LogGain(c));
  return RoundUp(k * n * all / (slots * static_cast<double>(touched)));
}

std::int64_t Partitions::Steps(const Constants& c, std::int64_t changed) const {
  const double gain = n * static_cast<double>(changed) / static_cast<double>(K);
  return RoundUp(A + elementary::Log(std::max(1.0, gain)) / LogGain(c));
}

double Partitions::Shift(const Constants& c) const {
  const double shrink = Shrink(c, A);
  return 8 * c.L * shrink / (c.mu * n * (1 - shrink));
}

double Partitions::Sigma(const Constants& c, double epsilon, double delta) const {
  // Half of delta is for the number of slots that a deletion touches.
  return Shift(c) / AllowedRatio(epsilon, delta / 2);
}

}  // namespace lethe::d2d
