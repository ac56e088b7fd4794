// Descents and resets in the ledger, against the recursion for every single event.

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "engine/privacy/ledger.h"
#include "tests/support/proof_random.h"

namespace lethe::ledger_descent_test {
namespace {

using proof::Dice;
using Real = long double;

struct Setting {
  Constants constants;
  Schedule schedule;
};

Setting Make(ScheduleKind kind, double lambda) {
  ModelSpec model;
  model.dimension = 5;
  model.lambda = lambda;
  const Constants constants = Constants::Derive(model).value();
  LearningSpec learning;
  learning.schedule = kind;
  return {constants, Schedule::Make(learning, Split::kCurve, constants, 0.028, 5).value()};
}

// e_u of docs/guarantee.md, section 3, for all events one by one.
struct Recursion {
  explicit Recursion(const Constants& c) : c(c) {}

  Real Shrink(Real eta) const {
    return std::max(std::abs(1 - eta * c.mu), std::abs(1 - eta * c.beta));
  }
  void Step(Real eta) {
    for (Real& x : e) x *= Shrink(eta);
    e.push_back(eta * c.L);
  }
  void Descend(Real eta, std::int64_t n, std::int64_t count) {
    for (; count > 0; --count) {
      for (Real& x : e) x = Shrink(eta) * x + (n > 0 ? 2 * c.G * eta / n : 0);
    }
  }
  void Reset(Real influence) { std::fill(e.begin(), e.end(), influence); }

  Constants c;
  std::vector<Real> e;
};

TEST(LedgerDescentTest, InfluenceIsTheRecursionFromAbove) {
  Dice dice(23);
  for (int run = 0; run < 60; ++run) {
    const Setting s = Make(static_cast<ScheduleKind>(dice.Below(4)), dice.LogUniform(1e-3, 2));
    Ledger ledger(s.constants, s.schedule, 5);
    Recursion exact(s.constants);
    const double eta = s.constants.max_step();
    for (int i = 0; i < 1200; ++i) {
      const double dice_roll = dice.Uniform();
      if (dice_roll < 0.97 || ledger.steps() == 0) {
        const double step = s.schedule.Step(ledger.steps() + 1);
        ledger.Step(step);
        exact.Step(step);
      } else if (dice_roll < 0.995) {
        const std::int64_t n = dice.Chance(0.1) ? 0 : ledger.steps(), count = 1 + dice.Below(30);
        ledger.Descend(eta, n, count);
        exact.Descend(eta, n, count);
      } else {
        const double influence = dice.LogUniform(1e-10, 1);
        ledger.Reset(influence);
        exact.Reset(influence);
      }
      const std::int64_t u = dice.Below(ledger.steps());
      const Real expected = exact.e[static_cast<std::size_t>(u)];
      if (expected < 1e-290L) continue;
      ASSERT_GE(ledger.Influence({u}), expected * (1 - 1e-18L)) << run << " " << i << " " << u;
      ASSERT_LE(ledger.Influence({u}), expected * (1 + 1e-9L)) << run << " " << i << " " << u;
    }
  }
}

TEST(LedgerDescentTest, ResetForgetsRoundOffAndDescentAddsIt) {
  const Setting s = Make(ScheduleKind::kConstant, 0.1);
  Ledger ledger(s.constants, s.schedule, 5);
  for (std::int64_t t = 1; t <= 100; ++t) ledger.Step(s.schedule.Step(t));
  EXPECT_GT(ledger.RoundOff(), 0);
  ledger.Reset(1e-9);
  EXPECT_EQ(ledger.RoundOff(), 0);
  ledger.Descend(s.constants.max_step(), 50, 1);
  EXPECT_GT(ledger.RoundOff(), ledger.RoundOffOfOneOperation(s.constants.max_step()));
  EXPECT_EQ(ledger.steps(), 100);  // a descent is no learn step
}

TEST(LedgerDescentTest, DescentsOnNothingOnlyContract) {
  const Setting s = Make(ScheduleKind::kConstant, 0.1);
  Ledger ledger(s.constants, s.schedule, 5);
  ledger.Step(s.schedule.Step(1));
  const double before = ledger.Influence({0});
  ledger.Descend(s.constants.max_step(), 0, 7);
  const double expected = before * std::pow(Contraction(s.constants, s.constants.max_step()), 7);
  EXPECT_NEAR(ledger.Influence({0}), expected, 1e-12 * expected);
}

}  // namespace
}  // namespace lethe::ledger_descent_test
