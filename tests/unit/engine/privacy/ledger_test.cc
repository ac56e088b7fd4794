// The ledger against the product it stands for, multiplied out in extended precision.

#include "engine/privacy/ledger.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/proof_random.h"

namespace lethe::ledger_test {
namespace {

using proof::Dice;
using Real = long double;

struct Setting {
  Constants constants;
  Schedule schedule;
};

Setting Make(ScheduleKind kind, double lambda, std::optional<double> eta_of_cap = {}) {
  ModelSpec model;
  model.dimension = 20;
  model.lambda = lambda;
  const Constants constants = Constants::Derive(model).value();
  LearningSpec learning;
  learning.schedule = kind;
  if (eta_of_cap && kind != ScheduleKind::kHorizon)
    learning.eta = *eta_of_cap * constants.max_step();
  return {constants, Schedule::Make(learning, Split::kCurve, constants, 0.028, 20).value()};
}

// Every influence multiplied out, without logarithms.
class NaiveLedger {
 public:
  explicit NaiveLedger(const Constants& constants) : constants_(constants) {}

  void Step(double eta) {
    const Real step = eta;
    products_.push_back(products_.back() * std::max(std::abs(1 - step * constants_.mu),
                                                    std::abs(1 - step * constants_.beta)));
    etas_.push_back(eta);
  }
  Real Influence(std::int64_t u) const {
    const auto at = static_cast<std::size_t>(u);
    return products_.back() / products_[at + 1] * etas_[at] * constants_.L;
  }

 private:
  Constants constants_;
  std::vector<Real> products_ = {1};
  std::vector<double> etas_;
};

void ExpectTight(const Ledger& ledger, const NaiveLedger& naive, std::int64_t u, Real tolerance) {
  const Real exact = naive.Influence(u);
  const double bound = ledger.Influence({u});
  ASSERT_GE(bound, exact) << u << " of " << ledger.steps();
  ASSERT_LE(bound, exact * (1 + tolerance)) << u << " of " << ledger.steps();
}

TEST(LedgerDeathTest, EventsThatWereNotLearnedHaveNoInfluence) {
  const Setting s = Make(ScheduleKind::kConstant, 0.01);
  Ledger ledger(s.constants, s.schedule, 20);
  EXPECT_DEATH(ledger.Influence({0}), "internal error");
  ledger.Step(s.schedule.Step(1));
  EXPECT_DEATH(ledger.Influence({1}), "internal error");
  EXPECT_DEATH(ledger.Influence({-1}), "internal error");
  EXPECT_DEATH(ledger.StepSize({1}), "internal error");
}

TEST(LedgerTest, NewestEventHasItsWholeStep) {
  const Setting s = Make(ScheduleKind::kInverseSqrt, 0.01);
  Ledger ledger(s.constants, s.schedule, 20);
  for (std::int64_t t = 1; t <= 1000; ++t) {
    ledger.Step(s.schedule.Step(t));
    const double whole = s.schedule.Step(t) * s.constants.L;
    ASSERT_GE(ledger.Influence({t - 1}), whole);
    ASSERT_NEAR(ledger.Influence({t - 1}), whole, 1e-12 * whole);
    ASSERT_EQ(ledger.StepSize({t - 1}), s.schedule.Step(t));
    ASSERT_EQ(ledger.steps(), t);
  }
}

TEST(LedgerTest, InfluenceIsTheNaiveProductFromAboveForRandomSchedules) {
  Dice dice(7);
  for (int run = 0; run < 60; ++run) {
    const auto kind = static_cast<ScheduleKind>(run % 5);
    const Setting s = Make(kind, dice.LogUniform(1e-4, 5), dice.LogUniform(1e-4, 1));
    Ledger ledger(s.constants, s.schedule, 20);
    NaiveLedger naive(s.constants);
    const std::int64_t steps = 1 + dice.Below(2000);
    for (std::int64_t t = 1; t <= steps; ++t) {
      const double eta = s.schedule.is_public() ? s.schedule.Step(t)
                                                : s.schedule.AdaptiveStep(dice.LogUniform(1, 1e9));
      ledger.Step(eta);
      naive.Step(eta);
      const std::int64_t u = dice.Below(t);
      if (naive.Influence(u) > 1e-300L) ExpectTight(ledger, naive, u, 1e-9L);
    }
    for (std::int64_t u = 0; u < steps; ++u) {  // every position of every block
      if (naive.Influence(u) > 1e-300L) ExpectTight(ledger, naive, u, 1e-9L);
    }
  }
}

TEST(LedgerTest, AMillionStepsKeepTheBoundTight) {
  for (const ScheduleKind kind : {ScheduleKind::kInverseTime, ScheduleKind::kInverseSqrt}) {
    const Setting s = Make(kind, 1e-5);
    Ledger ledger(s.constants, s.schedule, 20);
    NaiveLedger naive(s.constants);
    for (std::int64_t t = 1; t <= 1'000'000; ++t) {
      ledger.Step(s.schedule.Step(t));
      naive.Step(s.schedule.Step(t));
    }
    Dice dice(8);
    for (int i = 0; i < 2000; ++i) {
      ExpectTight(ledger, naive, static_cast<std::int64_t>(dice.LogUniform(1, 1e6)) - 1, 1e-9L);
    }
  }
}

// At the cap with a small condition number one step leaves 3%: within seventy steps a product of
// doubles would be 1e-107, and after a few hundred it would be gone.
TEST(LedgerTest, ProductsFarBelowTheSmallestDoubleAreStillTracked) {
  const Setting s = Make(ScheduleKind::kConstant, 4, 1.0);
  ASSERT_LT(Contraction(s.constants, s.schedule.Step(1)), 0.04);
  Ledger ledger(s.constants, s.schedule, 20);
  NaiveLedger naive(s.constants);  // down to 1e-4932
  for (std::int64_t t = 1; t <= 3000; ++t) {
    ledger.Step(s.schedule.Step(t));
    naive.Step(s.schedule.Step(t));
    for (std::int64_t age = 0; age < 150 && age < t; ++age) {
      ExpectTight(ledger, naive, t - 1 - age, 1e-9L);
    }
  }
  EXPECT_LT(ledger.Log().high, -9000);  // exp of which is no double
  EXPECT_EQ(ledger.Influence({0}), 0);
}

TEST(LedgerTest, AnswersDoNotDependOnTheOrderOfQuestions) {
  const Setting s = Make(ScheduleKind::kInverseSqrt, 0.01);
  Ledger ledger(s.constants, s.schedule, 20);
  for (std::int64_t t = 1; t <= 1500; ++t) ledger.Step(s.schedule.Step(t));
  std::vector<double> forwards, backwards;
  for (std::int64_t u = 0; u < 1500; ++u) forwards.push_back(ledger.Influence({u}));
  for (std::int64_t u = 1499; u >= 0; --u) backwards.push_back(ledger.Influence({u}));
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(forwards, backwards);
}

TEST(LedgerTest, InverseTimeInfluenceIsTheSameWhateverTheAge) {
  const Setting s = Make(ScheduleKind::kInverseTime, 0.1);
  Ledger ledger(s.constants, s.schedule, 20);
  for (std::int64_t t = 1; t <= 100'000; ++t) ledger.Step(s.schedule.Step(t));
  const double expected = s.constants.L / (s.constants.mu * 100'000);
  for (const std::int64_t u : {100, 1000, 50'000, 99'999}) {
    EXPECT_NEAR(ledger.Influence({u}), expected, 1e-10 * expected) << u;
  }
}

TEST(LedgerTest, AdaptiveStepsAreRememberedOneByOne) {
  const Setting s = Make(ScheduleKind::kAdaptive, 0.01);
  Ledger ledger(s.constants, s.schedule, 20);
  const std::vector<double> etas = {1.0, 0.25, 0.5};
  for (const double eta : etas) ledger.Step(eta);
  for (std::int64_t u = 0; u < 3; ++u) {
    EXPECT_EQ(ledger.StepSize({u}), etas[static_cast<std::size_t>(u)]);
  }
}

TEST(LedgerTest, RoundOffFollowsItsRecursion) {
  const Setting s = Make(ScheduleKind::kInverseSqrt, 0.05);
  const std::int64_t terms = 20;
  Ledger ledger(s.constants, s.schedule, terms);
  Real expected = 0;
  EXPECT_EQ(ledger.RoundOff(), 0);
  for (std::int64_t t = 1; t <= 5000; ++t) {
    const double eta = s.schedule.Step(t);
    ledger.Step(eta);
    const Real b =
        (3 * terms + 40) * 0x1p-53L * (s.constants.radius + static_cast<Real>(eta) * s.constants.L);
    expected = Contraction(s.constants, eta) * expected + 2 * b;
    ASSERT_NEAR(ledger.RoundOff(), static_cast<double>(expected),
                1e-12 * static_cast<double>(expected));
    if (t % 1000 == 0) {
      ledger.AddRoundOff(1e-9);
      expected += 1e-9L;
    }
  }
}

}  // namespace
}  // namespace lethe::ledger_test
