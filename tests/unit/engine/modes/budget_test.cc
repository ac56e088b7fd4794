// Which budgets are refused, and what an accepted one says in all its forms.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/spec/accountant.h"

namespace lethe::budget_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kDenormal = std::numeric_limits<double>::denorm_min();

BudgetSpec EpsilonDelta(double epsilon, double delta) {
  return {.epsilon = epsilon, .delta = delta, .mu = {}, .rho = {}};
}
BudgetSpec Mu(double mu) { return {.epsilon = {}, .delta = {}, .mu = mu, .rho = {}}; }
BudgetSpec Rho(double rho) { return {.epsilon = {}, .delta = {}, .mu = {}, .rho = rho}; }

void ExpectRefused(const BudgetSpec& budget, const std::string& what) {
  const auto promise = Promise::FromBudget(budget);
  ASSERT_FALSE(promise.ok()) << what;
  EXPECT_EQ(promise.status().code(), ErrorCode::kConfig) << what;
  EXPECT_TRUE(promise.status().message().starts_with("forgetting.budget: ")) << what;
}

TEST(BudgetTest, NumbersThatPromiseNothingAreRefusedInEveryForm) {
  for (const double bad : {0.0, -0.0, -1.0, kInf, -kInf, kNan, kDenormal, 1e-310}) {
    const std::string what = std::to_string(bad);
    ExpectRefused(Mu(bad), "mu " + what);
    ExpectRefused(Rho(bad), "rho " + what);
    ExpectRefused(EpsilonDelta(bad, 1e-6), "epsilon " + what);
    ExpectRefused(EpsilonDelta(1, bad), "delta " + what);
  }
}

TEST(BudgetTest, DeltaOfOneOrMoreIsRefused) {
  for (const double delta : {1.0, std::nextafter(1.0, 2.0), 2.0, 1e300}) {
    ExpectRefused(EpsilonDelta(1, delta), std::to_string(delta));
    const auto promise = Promise::FromBudget(EpsilonDelta(1, delta));
    EXPECT_NE(promise.status().message().find("delta below 1"), std::string::npos) << delta;
  }
}

TEST(BudgetTest, NoFormAndMoreThanOneFormAreRefused) {
  ExpectRefused({}, "none");
  ExpectRefused({.epsilon = {}, .delta = 1e-6, .mu = {}, .rho = {}}, "delta alone");
  ExpectRefused({.epsilon = 1, .delta = 1e-6, .mu = 1, .rho = {}}, "epsilon and mu");
  ExpectRefused({.epsilon = 1, .delta = {}, .mu = {}, .rho = 1}, "epsilon and rho");
  ExpectRefused({.epsilon = {}, .delta = {}, .mu = 1, .rho = 0.5}, "mu and rho");
  ExpectRefused({.epsilon = {}, .delta = 1e-6, .mu = 1, .rho = {}}, "delta and mu");
  ExpectRefused({.epsilon = {}, .delta = 1e-6, .mu = {}, .rho = 1}, "delta and rho");
}

TEST(BudgetTest, PromisesTooWeakOrTooStrongToMeanAnythingAreRefused) {
  ExpectRefused(Mu(1e-10), "mu 1e-10");
  ExpectRefused(Mu(100.5), "mu 100.5");
  ExpectRefused(Rho(1e-300), "rho 1e-300");
  ExpectRefused(Rho(1e300), "rho 1e300");
  ExpectRefused(EpsilonDelta(1e12, 1e-6), "epsilon 1e12");
  ExpectRefused(EpsilonDelta(1e300, 0.999), "epsilon 1e300");
  ExpectRefused(EpsilonDelta(1e-300, 1e-300), "both 1e-300");
}

TEST(BudgetTest, DefaultIsEpsilonOneDeltaOneInAMillion) {
  const Promise promise = Promise::FromBudget(ForgettingSpec().budget).value();
  EXPECT_EQ(promise.epsilon, 1);
  EXPECT_EQ(promise.delta, 1e-6);
  EXPECT_NEAR(promise.mu, 0.2367044, 5e-8);
  EXPECT_NEAR(promise.rho, 0.0280145, 5e-8);
  EXPECT_NEAR(promise.advantage, 0.0942, 5e-5);
}

TEST(BudgetTest, EpsilonWithoutDeltaMeansTheReportedDelta) {
  const Promise promise =
      Promise::FromBudget({.epsilon = 1, .delta = {}, .mu = {}, .rho = {}}).value();
  EXPECT_EQ(promise.delta, kReportedDelta);
  EXPECT_EQ(promise.mu, MuOfEpsilonDelta(1, kReportedDelta));
}

TEST(BudgetTest, MuIsTakenAsStatedAndReportedAtTheDefaultDelta) {
  for (const double mu : {1e-9, 1e-3, 0.2367, 1.0, 20.0, 100.0}) {
    const Promise promise = Promise::FromBudget(Mu(mu)).value();
    EXPECT_EQ(promise.mu, mu);
    EXPECT_EQ(promise.delta, kReportedDelta);
    EXPECT_EQ(promise.epsilon, EpsilonOfMu(mu, kReportedDelta));
    EXPECT_LE(DeltaOfMu(promise.mu, promise.epsilon), promise.delta);
  }
}

TEST(BudgetTest, EveryFormOfOnePromiseSpendsAtMostWhatWasStated) {
  for (const double rho : {1e-16, 1e-6, 0.0244, 0.5, 4999.0}) {
    const Promise promise = Promise::FromBudget(Rho(rho)).value();
    EXPECT_LE(promise.rho, rho);
    EXPECT_NEAR(promise.rho, rho, 1e-12 * rho);
    EXPECT_LE(promise.mu * promise.mu, 2 * rho);
    EXPECT_EQ(promise.advantage, AdvantageOfMu(promise.mu));
  }
  for (const double epsilon : {1e-3, 1.0, 20.0}) {
    for (const double delta : {1e-12, 1e-6, 0.01}) {
      const Promise promise = Promise::FromBudget(EpsilonDelta(epsilon, delta)).value();
      EXPECT_LE(DeltaOfMu(promise.mu, epsilon), delta);
      EXPECT_EQ(promise.epsilon, epsilon);
      EXPECT_EQ(promise.rho, RhoOfMu(promise.mu));
    }
  }
}

}  // namespace
}  // namespace lethe::budget_test
