#pragma once

#include <cstdint>

#include "engine/base/status.h"
#include "engine/spec/spec.h"

namespace lethe {

// Conversions between the forms of one privacy promise: mu-GDP, (epsilon, delta), rho and the
// attacker's advantage (docs/guarantee.md, section 3). Conversions to delta, epsilon and
// mu are rounded to the safe side, so that less is promised than holds; RhoOfMu and AdvantageOfMu
// are the plain formulas in doubles. All functions are thread-safe.

// The smallest delta such that mu-GDP implies (epsilon, delta), rounded up:
// Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2)   (Balle and Wang 2018, Theorem 8).
double DeltaOfMu(double mu, double epsilon);

// The largest mu such that mu-GDP implies (epsilon, delta), rounded down.
double MuOfEpsilonDelta(double epsilon, double delta);

// The smallest epsilon that mu-GDP implies at this delta, rounded up; 0 if it implies (0, delta).
double EpsilonOfMu(double mu, double delta);

// mu-GDP holds for one Gaussian draw exactly when (alpha, alpha rho) holds for all alpha.
double RhoOfMu(double mu);
double MuOfRho(double rho);

// The largest TPR - FPR of any attacker: 2 Phi(mu/2) - 1; and back.
double AdvantageOfMu(double mu);
double MuOfAdvantage(double advantage);

// The delta at which epsilon is reported if the budget is stated as mu or rho.
inline constexpr double kReportedDelta = 1e-6;

// One promise in all its forms. All zeros is the promise of an exact mode. A value type.
struct Promise {
  double mu = 0;
  double rho = 0;
  double epsilon = 0;
  double delta = 0;
  double advantage = 0;

  // Fails (kConfig) unless the budget is stated in exactly one form with positive, finite values.
  static Result<Promise> FromBudget(const BudgetSpec& budget);

  // The promise of `shards` independent runs together if each keeps this one: mu sqrt(shards),
  // rounded up.
  Promise Over(std::int64_t shards) const;
  // The promise that each of `shards` independent runs must keep so that all together keep this
  // one: mu / sqrt(shards), rounded down.
  Promise ShareOf(std::int64_t shards) const;
};

}  // namespace lethe
