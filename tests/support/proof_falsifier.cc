#include "tests/support/proof_falsifier.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <numbers>

#include <gtest/gtest.h>

#include "engine/base/check.h"

namespace lethe::proof {
namespace {

// The continued fraction of the incomplete beta function (Lentz's method).
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor = 1;
    for (const double term : {even, odd}) {
      d = 1 / std::max(1 + term * d, kTiny);
      c = std::max(1 + term / c, kTiny);
      factor = c * d;
      result *= factor;
    }
    if (std::abs(factor - 1) < 1e-14) break;
  }
  return result;
}

// P(Beta(a, b) <= x).
double BetaCdf(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * BetaFraction(a, b, x) / a
                                   : 1 - front * BetaFraction(b, a, 1 - x) / b;
}

// Where an increasing function on [low, high] reaches `target`.
template <typename Function>
double Solve(Function function, double target, double low, double high) {
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (function(middle) < target ? low : high) = middle;
  }
  return (low + high) / 2;
}

struct Half {
  std::vector<double> learned, blank;  // sorted
};

std::int64_t CountAbove(const std::vector<double>& sorted, double threshold) {
  return sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), threshold);
}

double BoundAt(const Half& half, double threshold, bool above) {
  const auto n = static_cast<std::int64_t>(half.learned.size());
  const auto m = static_cast<std::int64_t>(half.blank.size());
  std::int64_t true_positives = CountAbove(half.learned, threshold);
  std::int64_t false_positives = CountAbove(half.blank, threshold);
  if (!above) {
    true_positives = n - true_positives;
    false_positives = m - false_positives;
  }
  constexpr double kError = 0.05 / 2;
  return NormalQuantile(RateAtLeast(true_positives, n, kError)) -
         NormalQuantile(RateAtMost(false_positives, m, kError));
}

}  // namespace

double RateAtLeast(std::int64_t hits, std::int64_t trials, double error) {
  if (hits == 0) return 0;
  const auto k = static_cast<double>(hits), n = static_cast<double>(trials);
  return Solve([&](double p) { return BetaCdf(k, n - k + 1, p); }, error, 0, 1);
}

double RateAtMost(std::int64_t hits, std::int64_t trials, double error) {
  return 1 - RateAtLeast(trials - hits, trials, error);
}

double NormalQuantile(double p) {
  return Solve([](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }, p, -40, 40);
}

double LowerBoundOnMu(const std::vector<double>& learned, const std::vector<double>& blank) {
  const auto middle = [](const std::vector<double>& v) {
    return v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  };
  Half choose{{learned.begin(), middle(learned)}, {blank.begin(), middle(blank)}};
  Half measure{{middle(learned), learned.end()}, {middle(blank), blank.end()}};
  for (Half* half : {&choose, &measure}) {
    std::sort(half->learned.begin(), half->learned.end());
    std::sort(half->blank.begin(), half->blank.end());
  }
  double best = -INFINITY, threshold = 0;
  bool above = true;
  constexpr std::size_t kCandidates = 64;
  for (const auto* scores : {&choose.learned, &choose.blank}) {
    for (std::size_t i = 0; i < kCandidates; ++i) {
      const double candidate = (*scores)[i * (scores->size() - 1) / (kCandidates - 1)];
      for (const bool side : {true, false}) {
        const double bound = BoundAt(choose, candidate, side);
        if (bound > best) best = bound, threshold = candidate, above = side;
      }
    }
  }
  return BoundAt(measure, threshold, above);
}

Pair WorldsOf(const Script& script, std::size_t request, const std::vector<double>& sigmas) {
  return {World(script, {}, sigmas), World(script, script.Blank(request), sigmas)};
}

Verdict Falsify(double certified, std::int64_t seeds, const Score& learned, const Score& blank) {
  std::vector<double> with, without;
  for (std::int64_t i = 0; i < seeds; ++i) {
    // No seed twice: the two worlds' noises are independent.
    with.push_back(learned(static_cast<std::uint64_t>(2 * i)));
    without.push_back(blank(static_cast<std::uint64_t>(2 * i + 1)));
  }
  return {certified, LowerBoundOnMu(with, without)};
}

Verdict Falsify(const Script& script, const Pair& worlds, std::int64_t seeds,
                const Attack& attack) {
  return Falsify(
      script.plan().promise.mu, seeds,
      [&](std::uint64_t seed) { return attack(worlds.learned, seed); },
      [&](std::uint64_t seed) { return attack(worlds.blank, seed); });
}

Verdict Report(const std::string& name, const Verdict& verdict) {
  char numbers[100];
  std::snprintf(numbers, sizeof numbers, "certified mu %.4f, lower bound %.4f: %s",
                verdict.certified, verdict.lower_bound, verdict.caught() ? "caught" : "held");
  std::cout << "[ falsify  ] " << name << ": " << numbers << std::endl;
  testing::Test::RecordProperty(name, numbers);
  return verdict;
}

Attack LinearAttack(const Pair& worlds, std::size_t request) {
  const Vector shift = worlds.learned.Noiseless(request) - worlds.blank.Noiseless(request);
  LETHE_CHECK(shift.norm() > 0);
  const Vector direction = shift.normalized();
  return [direction, request](const World& world, std::uint64_t seed) {
    return direction.dot(world.Sample(request, seed));
  };
}

}  // namespace lethe::proof
