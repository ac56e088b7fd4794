#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/proof_script.h"

namespace lethe::proof {

// The falsifier tries to break a certificate: it runs both worlds many times, and tells them apart
// with a threshold on one number. Its result is a lower bound that holds with a stated confidence,
// not an estimate.

// Exact confidence bounds for a rate of which `hits` of `trials` were seen, each with error at most
// `error` (Clopper and Pearson 1934).
double RateAtLeast(std::int64_t hits, std::int64_t trials, double error);
double RateAtMost(std::int64_t hits, std::int64_t trials, double error);

double NormalQuantile(double p);

// A lower bound, at 95% confidence, on the mu of any mu-GDP that could hold between two worlds with
// these scores: Phi^-1(TPR) - Phi^-1(FPR) of the best threshold. It is chosen on the first half of
// the scores and measured on the second, each rate with half of the 5%. Both sides of the threshold
// are tried as the verdict "learned"; calling "blank" instead gives the same number, because the
// two rates and their complements swap roles.
double LowerBoundOnMu(const std::vector<double>& learned, const std::vector<double>& blank);

// The number that an attacker computes from the outputs of one world under one noise seed.
using Score = std::function<double(std::uint64_t seed)>;
// The number that an attacker computes from the outputs of the given world.
using Attack = std::function<double(const World& world, std::uint64_t seed)>;

// The result of an attack on a certificate.
struct Verdict {
  double certified = 0;
  double lower_bound = 0;
  bool caught() const { return lower_bound > certified; }
};

struct Pair {
  World learned;
  World blank;
};

// Both worlds of a request with these noise levels (the product's, or planted ones).
Pair WorldsOf(const Script& script, std::size_t request, const std::vector<double>& sigmas);

// Runs an attack with `seeds` noise seeds in each world.
Verdict Falsify(double certified, std::int64_t seeds, const Score& learned, const Score& blank);
Verdict Falsify(const Script& script, const Pair& worlds, std::int64_t seeds, const Attack& attack);

// Prints and records a verdict on one line; returns it.
Verdict Report(const std::string& name, const Verdict& verdict);

// The best linear test: the model after `request`, along the shift between the noiseless worlds.
Attack LinearAttack(const Pair& worlds, std::size_t request);

}  // namespace lethe::proof
