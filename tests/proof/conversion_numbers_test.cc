// What (epsilon, delta) = (1, 1e-6) allows by the four conversions that the papers and this engine
// know, and what an attacker can then achieve. Kept numbers.
#include <cmath>
#include <functional>

#include "engine/modes/papers/d2d.h"
#include "engine/modes/papers/noisy_gd.h"
#include "engine/modes/papers/removal.h"
#include "engine/spec/accountant.h"
#include "tests/support/mode_fixture.h"

namespace lethe::testing::conversion_numbers_test {
namespace {

constexpr double kEpsilon = 1, kDelta = 1e-6;

// Where a function with one minimum has it.
double Minimiser(const std::function<double(double)>& f, double low, double high) {
  for (int i = 0; i < 300; ++i) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
  }
  return (low + high) / 2;
}

// The delta of rho-zCDP at epsilon, with the best order (Canonne, Kamath and Steinke 2020,
// Proposition 12). Not the engine's conversion, which is exact for Gaussians; kept numbers use it.
double DeltaOfZcdp(double rho, double epsilon) {
  const auto log_delta = [&](double a) {
    return (a - 1) * (a * rho - epsilon) - std::log(a - 1) + a * std::log1p(-1 / a);
  };
  return std::exp(log_delta(Minimiser(log_delta, 1.0001, 1000)));
}

double RhoOfZcdp(double epsilon, double delta) {
  double low = 1e-6, high = 1;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (DeltaOfZcdp(middle, epsilon) <= delta ? low : high) = middle;
  }
  return low;
}

TEST(ConversionNumbers, OfOneAndAMillionthAreTheKeptOnes) {
  const double lemma = d2d::AllowedRatio(kEpsilon, kDelta);
  ExpectRelative(lemma, 0.186916584, 1e-8);
  ExpectRelative(1 / lemma, 5.34998, 1e-6);

  const double q = noisy_gd::Order(kEpsilon, kDelta);
  ExpectRelative(q, 28.631021, 1e-7);
  const double renyi = std::sqrt(2 * (kEpsilon / 2) / q);
  ExpectRelative(renyi, 0.186888, 3e-6);
  ExpectRelative(1 / renyi, 5.3508, 1e-5);

  const double rho = RhoOfZcdp(kEpsilon, kDelta);
  ExpectRelative(rho, 0.0243559704, 1e-8);
  ExpectRelative(MuOfRho(rho), 0.220707818, 1e-8);
  ExpectRelative(1 / MuOfRho(rho), 4.530877, 1e-7);

  const double mu = MuOfEpsilonDelta(kEpsilon, kDelta);
  ExpectRelative(mu, 0.2367043807, 1e-9);
  ExpectRelative(1 / mu, 4.224679, 2e-7);
  ExpectRelative(RhoOfMu(mu), 0.028014, 2e-5);
  ExpectRelative(DeltaOfMu(mu, kEpsilon), kDelta, 1e-6);
  // The same shift needs 27% more noise by the lemma.
  EXPECT_NEAR(mu / lemma, 1.27, 5e-3);
}

// The third derivative that certified removal calculates with is 2.6 times the true one.
TEST(ConversionNumbers, TheThirdDerivativeIsTheLargestOne) {
  const auto third = [](double p) {
    const double s = 1 / (1 + std::exp(-p));
    return -std::abs(s * (1 - s) * (1 - 2 * s));
  };
  ExpectRelative(-third(Minimiser(third, 0.1, 5)), removal::kThirdDerivative, 1e-12);
  ExpectRelative(removal::kThirdDerivative, 0.0962250, 1e-6);
  EXPECT_NEAR(removal::kPrintedThirdDerivative / removal::kThirdDerivative, 2.6, 5e-3);
}

// FU Theorem 4.1: from (q, eps) an attacker's advantage is at most the smallest, over d, of
// e^(eps + ln(1/d)/(q-1)) - 1 + 2 d, in closed form, or sqrt(2 eps). Its algebra is right.
TEST(ConversionNumbers, TheAdvantageOfForgetUnlearningIsTheSmallest) {
  const auto closed = [](double q, double eps) {
    return q / (q - 1) * std::exp(eps * (q - 1) / q) * std::pow(2 * (q - 1), 1 / q) - 1;
  };
  for (const double q : {2.0, 5.0, noisy_gd::Order(kEpsilon, kDelta)}) {
    for (const double eps : {0.01, 0.5, 2.0}) {
      const auto advantage = [&](double log_d) {
        return std::exp(eps - log_d / (q - 1)) - 1 + 2 * std::exp(log_d);
      };
      const double best = advantage(Minimiser(advantage, -60, 3));
      ExpectRelative(closed(q, eps), best, 1e-9);
      // One Gaussian draw with this Renyi divergence is far below both.
      const double mu = std::sqrt(2 * eps / q);
      EXPECT_LT(AdvantageOfMu(mu), std::min(closed(q, eps), std::sqrt(2 * eps)));
    }
  }
  ExpectRelative(closed(1e9, 0.5), std::exp(0.5) - 1, 1e-6);
}

// What is promised here is between learned and never learned, and exact for one Gaussian draw.
TEST(ConversionNumbers, TheAdvantageOfOneDrawIsBelowItsSimpleBound) {
  const double rho = Promise::FromBudget(ForgettingSpec().budget).value().rho;
  const double exact = std::erf(std::sqrt(rho / 2) / std::sqrt(2.0));  // 2 Phi(sqrt(rho/2)) - 1
  ExpectRelative(AdvantageOfMu(MuOfRho(rho)), exact, 1e-9);
  EXPECT_NEAR(exact, 0.0942, 5e-5);
  EXPECT_LT(exact, std::sqrt(rho / 2));
}

}  // namespace
}  // namespace lethe::testing::conversion_numbers_test
