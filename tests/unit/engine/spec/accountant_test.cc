// Conversions between the forms of one promise, against an integral that shares nothing with them.

#include "engine/spec/accountant.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace lethe::accountant_test {
namespace {

using Real = long double;

// delta(epsilon) as the mean of (1 - exp(epsilon - loss))+ over the privacy loss, which is
// N(mu^2/2, mu^2). The integrand is positive, so unlike the closed form nothing cancels.
Real DeltaByIntegral(Real mu, Real epsilon) {
  const Real start = (epsilon - mu * mu / 2) / mu;  // where the loss passes epsilon
  const Real from = std::fmax(start, -14.0L);       // nothing below has weight
  // Beyond, the density is less than exp(-90) of what it is where it counts.
  const Real to = start > 1 ? start + std::fmin(14.0L, 90 / start) : std::fmax(start, 0.0L) + 14;
  constexpr int kIntervals = 20'000;
  const Real h = (to - from) / kIntervals;
  Real sum = 0;
  for (int i = 0; i <= kIntervals; ++i) {
    const Real t = from + h * i;
    const Real weight = i == 0 || i == kIntervals ? 1 : i % 2 == 1 ? 4 : 2;  // Simpson
    sum += weight * -std::expm1(-mu * (t - start)) * std::exp(-t * t / 2);
  }
  return sum * h / 3 / std::sqrt(2 * std::numbers::pi_v<Real>);
}

const std::vector<double> kEpsilons = {1e-3, 0.1, 0.5, 1, 2, 8, 50, 700};
const std::vector<double> kDeltas = {1e-300, 1e-40, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9};
const std::vector<double> kMus = {1e-3, 0.05, 0.2367, 0.5, 1, 3, 8, 30, 100};

TEST(AccountantTest, DefaultBudgetIsTheOneOfTheGuarantee) {
  const double mu = MuOfEpsilonDelta(1, 1e-6);
  EXPECT_NEAR(mu, 0.2367044, 5e-8);
  EXPECT_NEAR(RhoOfMu(mu), 0.0280145, 5e-8);
  EXPECT_NEAR(AdvantageOfMu(mu), 0.0942, 5e-5);
  EXPECT_NEAR((1 + AdvantageOfMu(mu)) / 2, 0.547, 5e-4);
}

TEST(AccountantTest, DeltaAgreesWithTheIntegralOverThePrivacyLoss) {
  for (const double mu : kMus) {
    for (const double epsilon : kEpsilons) {
      const auto expected = static_cast<double>(DeltaByIntegral(mu, epsilon));
      if (expected < 1e-300) continue;
      EXPECT_NEAR(DeltaOfMu(mu, epsilon), expected, 1e-9 * expected) << mu << " " << epsilon;
    }
  }
}

TEST(AccountantTest, DeltaIsNeverNegativeNorAboveOneAndFallsWithEpsilon) {
  for (const double mu : kMus) {
    double before = 1;
    for (const double epsilon : {0.0, 1e-300, 1e-12, 1e-3, 1.0, 50.0, 700.0, 1e5, 1e12}) {
      const double delta = DeltaOfMu(mu, epsilon);
      EXPECT_GE(delta, 0) << mu << " " << epsilon;
      EXPECT_LE(delta, before) << mu << " " << epsilon;
      before = delta;
    }
  }
}

TEST(AccountantTest, MuOfEpsilonDeltaKeepsThePromiseAndIsTheLargestThatDoes) {
  for (const double epsilon : kEpsilons) {
    for (const double delta : kDeltas) {
      const double mu = MuOfEpsilonDelta(epsilon, delta);
      EXPECT_LE(DeltaOfMu(mu, epsilon), delta) << epsilon << " " << delta;
      EXPECT_GT(DeltaOfMu(mu * (1 + 1e-11), epsilon), delta) << epsilon << " " << delta;
      if (delta < 1e-40) continue;
      EXPECT_LE(static_cast<double>(DeltaByIntegral(mu, epsilon)), delta * (1 + 1e-9));
    }
  }
}

TEST(AccountantTest, EpsilonOfMuKeepsThePromiseAndIsTheSmallestThatDoes) {
  for (const double mu : kMus) {
    for (const double delta : kDeltas) {
      const double epsilon = EpsilonOfMu(mu, delta);
      EXPECT_LE(DeltaOfMu(mu, epsilon), delta) << mu << " " << delta;
      if (epsilon < 1e-9) continue;
      EXPECT_GT(DeltaOfMu(mu, epsilon * (1 - 1e-11)), delta) << mu << " " << delta;
    }
  }
}

// Here delta is a difference of two numbers that agree in most digits.
TEST(AccountantTest, TinyBudgetsLoseDigitsOnTheSafeSideOnly) {
  for (const double mu : {1e-9, 1e-7, 1e-5}) {
    for (const double delta : {1e-40, 1e-18, 1e-12, 1e-10}) {
      const double epsilon = EpsilonOfMu(mu, delta);
      if (epsilon == 0) continue;
      const auto needed = static_cast<double>(DeltaByIntegral(mu, epsilon));
      EXPECT_LE(needed, delta * (1 + 1e-11)) << mu << " " << delta;
      EXPECT_GE(needed, delta * (1 - 1e-4)) << mu << " " << delta;
      const double back = MuOfEpsilonDelta(epsilon, delta);
      EXPECT_LE(static_cast<double>(DeltaByIntegral(back, epsilon)), delta * (1 + 1e-11));
      EXPECT_NEAR(back, mu, 1e-4 * mu) << mu << " " << delta;
    }
  }
}

TEST(AccountantTest, EpsilonIsZeroWhenDeltaAloneCoversTheAdvantage) {
  EXPECT_EQ(EpsilonOfMu(1e-9, 1e-6), 0);
  EXPECT_EQ(EpsilonOfMu(1, 0.5), 0);
  EXPECT_GT(EpsilonOfMu(1, 0.3), 0);
}

TEST(AccountantTest, EpsilonDeltaToMuAndBackPromisesTheSame) {
  for (const double epsilon : kEpsilons) {
    for (const double delta : kDeltas) {
      const double mu = MuOfEpsilonDelta(epsilon, delta);
      const double back = EpsilonOfMu(mu, delta);
      EXPECT_LE(back, epsilon * (1 + 1e-12)) << epsilon << " " << delta;
      if (DeltaOfMu(mu, 0) <= delta) continue;  // any epsilon would do
      EXPECT_NEAR(back, epsilon, 1e-7 * epsilon) << epsilon << " " << delta;
      EXPECT_NEAR(MuOfEpsilonDelta(back, delta), mu, 1e-10 * mu) << epsilon << " " << delta;
    }
  }
}

TEST(AccountantTest, RhoAndAdvantageRoundTripsEndAtOrBelowMu) {
  for (const double mu : kMus) {
    EXPECT_LE(MuOfRho(RhoOfMu(mu)), mu);
    EXPECT_NEAR(MuOfRho(RhoOfMu(mu)), mu, 1e-12 * mu);
    EXPECT_LE(RhoOfMu(MuOfRho(mu)), mu);  // any positive number is a rho
    EXPECT_NEAR(RhoOfMu(MuOfRho(mu)), mu, 1e-12 * mu);
    if (mu > 8) continue;  // the advantage is 1 to all digits
    const double back = MuOfAdvantage(AdvantageOfMu(mu));
    EXPECT_NEAR(back, mu, 1e-12 * mu / (1 - AdvantageOfMu(mu)));
    EXPECT_LE(AdvantageOfMu(back), AdvantageOfMu(mu));
  }
}

TEST(AccountantTest, AdvantageIsTheLargestGapBetweenTheErrorRates) {
  for (const double mu : kMus) {
    // The best test of N(0,1) against N(mu,1) at equal odds cuts at mu/2.
    const double expected = (std::erfc(-mu / std::sqrt(8)) - std::erfc(mu / std::sqrt(8))) / 2;
    EXPECT_NEAR(AdvantageOfMu(mu), expected, 1e-15) << mu;
    EXPECT_NEAR(DeltaOfMu(mu, 0), expected, 2e-15) << mu;  // rounded up
  }
}

TEST(AccountantTest, TheSharesOfSeveralShardsTogetherAreWhatWasDivided) {
  const Promise whole =
      Promise::FromBudget({.epsilon = 1, .delta = 1e-6, .mu = {}, .rho = {}}).value();
  for (const std::int64_t shards : {1, 2, 3, 7, 16, 1000}) {
    const Promise share = whole.ShareOf(shards);
    EXPECT_LE(share.Over(shards).mu, whole.mu) << shards;
    EXPECT_NEAR(share.Over(shards).mu, whole.mu, 1e-12) << shards;
    EXPECT_EQ(share.delta, whole.delta);
  }
}

TEST(AccountantTest, SeveralShardsPromiseLess) {
  const Promise one =
      Promise::FromBudget({.epsilon = 1, .delta = 1e-6, .mu = {}, .rho = {}}).value();
  const Promise four = one.Over(4);
  EXPECT_GE(four.mu, 2 * one.mu);
  EXPECT_NEAR(four.mu, 2 * one.mu, 1e-12);
  EXPECT_NEAR(four.rho, 4 * one.rho, 1e-12);
  EXPECT_EQ(four.delta, one.delta);
  EXPECT_LE(DeltaOfMu(four.mu, four.epsilon), four.delta);
  EXPECT_EQ(one.Over(1).mu, one.mu);
  EXPECT_EQ(one.Over(1).epsilon, one.epsilon);
}

}  // namespace
}  // namespace lethe::accountant_test
