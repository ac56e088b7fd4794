#pragma once

#include <cstdint>

#include "engine/spec/constants.h"

// The formulas of descent-to-delete (Neel, Roth, Sharifi-Malvajerdi 2020, "D2D"), as printed unless
// a comment says otherwise. M = beta, m = mu, D = 2r; every number of steps is rounded up.
namespace lethe::d2d {

// ln(1/gamma), gamma = (M-m)/(M+m): what one step of 2/(M+m) gains, and no other step size does.
double LogGain(const Constants& c);

// gamma^steps.
double Shrink(const Constants& c, double steps);

// The largest shift/sigma that (epsilon, delta) allows by D2D Lemma A.3. About a quarter below what
// one Gaussian draw really allows.
double AllowedRatio(double epsilon, double delta);

// Steps of the first training on n events (Theorem 3.1).
std::int64_t TrainingSteps(const Constants& c, double n, std::int64_t steps);

// Theorem 3.1: noise of the strong variant, n the size at the first training.
double StrongSigma(const Constants& c, double n, std::int64_t steps, double epsilon, double delta);

// Theorem 3.2: the least I of the perfect variant. `factor` is 2 as printed, and 8 as its proof
// needs it (the factor 2 sqrt(2 d) gamma^I/(1 - gamma^I) of the proof lost its 2).
double PerfectLeastSteps(const Constants& c, double dimension, double epsilon, double delta,
                         double factor = 8);
double PerfectSigma(const Constants& c, double n, std::int64_t steps, double epsilon, double delta);
// Steps of update i = 1, 2, ...
std::int64_t PerfectUpdateSteps(const Constants& c, double dimension, std::int64_t steps,
                                std::int64_t i, double delta);

// Theorem 3.4: the strength of the regulariser that is added to convex losses. The exponent is 2/5:
// printed is 4/5, which does not balance the two errors that it is chosen to balance.
double RegularisedStrength(const Constants& c, double dimension, double n, std::int64_t steps,
                           double epsilon, double delta);
// The constants with m in place of their mu. Its `paper` form bounds the gradient by G + m D.
Constants WithRegulariser(const Constants& c, double m);

// Theorem 3.5 and Remark 3.6, weak unlearning of convex losses: formulas only, for comparison. Its
// update i takes i^2 I steps, so that a hundred deletions take 340,000 I passes over the data: no
// mode is made of it, and nothing of it is ever certified.
double WeakStrength(const Constants& c, double dimension, double n, std::int64_t steps,
                    double epsilon, double delta);
std::int64_t WeakUpdateSteps(std::int64_t steps, std::int64_t i);
// As stated, and as the paper's equations (17) and (18) themselves give it, which is less. m is the
// strength; `c` has the constants without it.
double WeakSigma(const Constants& c, double m, double n, std::int64_t steps, double epsilon,
                 double delta);
double WeakSigmaOfProof(const Constants& c, double m, double n, std::int64_t steps, double epsilon,
                        double delta);

// The error e_opt = |model - minimiser| of a secret, un-noised model, and of one trained anew:
//   e <- gamma^steps (e + min(L, 2G)/m (deleted/n_before + added/n_after)).
// Sound for growing and shrinking n, for batches and for additions, where the closed sigma needs at
// least half of the data to be left (Assumption 2.6).
double OptimumShift(const Constants& c, double deleted, double n_before, double added,
                    double n_after);
// gamma^T min(r, G/m): after training from 0.
double TrainingError(const Constants& c, double n, std::int64_t steps);

// Theorem 4.5 with xi = 1: K partitions of K slots each, drawn from n events.
struct Partitions {
  double n = 0;        // size at the first training
  std::int64_t K = 0;  // ceil(sqrt(n))
  double A = 0;        // K n^2 I/B^2, B = K^2

  Partitions(double size, std::int64_t steps);
  std::int64_t TrainingSteps(const Constants& c, double delta) const;
  // Steps on each of the `touched` partitions at update i = 1, 2, ..., as printed.
  std::int64_t PrintedSteps(const Constants& c, std::int64_t steps, std::int64_t i,
                            std::int64_t touched, double delta) const;
  // Steps on a partition of which `changed` slots are new: then its error stays below
  // (4 L/(m n)) gamma^A/(1 - gamma^A) for ever, with no log i and no probability. (The induction of
  // the paper lets an untouched partition inherit a bound that has grown.)
  std::int64_t Steps(const Constants& c, std::int64_t changed) const;
  // 8 L gamma^A/(m n (1 - gamma^A)): twice that error.
  double Shift(const Constants& c) const;
  double Sigma(const Constants& c, double epsilon, double delta) const;
};

}  // namespace lethe::d2d
