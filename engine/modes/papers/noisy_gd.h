#pragma once

#include <cstdint>

#include "engine/spec/constants.h"

// The formulas of Noisy-GD (Chourasia and Shah 2023, "Forget Unlearning", Definition 5.1 and
// Theorem 5.1), as printed: steps of 1/(2 M), noise sqrt(2 eta) s at each of them.
namespace lethe::noisy_gd {

// Remark 2.1: (epsilon, delta) as a Renyi divergence of order q, of which epsilon/2 is promised.
double Order(double epsilon, double delta);

// s for outputs that are (q, eps_dp)-Renyi private, on n events.
double Scale(const Constants& c, double n, double q, double eps_dp);

// Steps of the training; for the accuracy alone.
std::int64_t TrainingSteps(const Constants& c, double n, double dimension, double q, double eps_dp);

// Steps of a deletion of `edits` events: equations (16) and (17).
std::int64_t DeletionSteps(const Constants& c, double dimension, double q, double eps_dp,
                           double eps_dd, double edits);

// The standard deviation of the start, s/sqrt(m (1 - eta m/2)).
double StartSigma(const Constants& c, double scale);

// What the ledger needs instead. The variance of one draw with which models of n events are
// mu-private, for steps that contract by `contraction` and bring in 2 G eta/n each.
double NoiseOfStep(const Constants& c, double contraction, double n, double mu);

}  // namespace lethe::noisy_gd
