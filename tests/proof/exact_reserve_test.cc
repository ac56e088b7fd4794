// Exact, the reserve of the curve: a draw aims a little below the budget, later small draws share
// what it left, and no deletion costs more than the budget. One large draw is followed by the
// deletions of many old events, each of which has a tiny influence left.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "engine/privacy/curve.h"
#include "tests/support/proof_linear.h"
#include "tests/support/proof_plants.h"
#include "tests/support/proof_tally.h"

namespace lethe::proof::exact_reserve_test {
namespace {

constexpr std::int64_t kOld = 100;

// `kOld` old events, then a recent one. All push the same way with a gradient near to the bound.
// The recent event is deleted first, then the old ones, one request each. At that time an old event
// has about exp(-fading) of its influence left.
LinearRun OldAfterRecent(Guarantee guarantee, double fading) {
  Spec spec = TightSpec(/*feature_norm=*/1, /*lambda=*/20, /*mu=*/1);
  spec.model.dimension = 1;
  spec.learning.eta = 1e-5;
  spec.forgetting.guarantee = guarantee;
  LinearRun run{Script(spec), {}};
  const Vector x = Vector::Ones(1), nothing = Vector::Zero(1);
  std::vector<std::int64_t> old;
  for (std::int64_t i = 0; i < kOld; ++i) {
    old.push_back(run.script.Learn(x, spec.model.label_bound, 1));
  }
  const double per_step = *spec.learning.eta * spec.model.lambda;
  run.script.LearnMany(static_cast<std::int64_t>(fading / per_step), nothing, 0);
  run.script.Forget({run.script.Learn(x, spec.model.label_bound, 1)});
  for (const std::int64_t index : old) run.script.Forget({index});
  run.sigmas = run.script.Sigmas();
  return run;
}

double WorstOf(const LinearRun& run) {
  const std::vector<double> ratios = ExactRatios(run);
  return *std::max_element(ratios.begin(), ratios.end());
}

TEST(ExactReserve, SmallDeletionsStayWithinTheBudgetAndCostLittle) {
  for (const Guarantee guarantee : {Guarantee::kJoint, Guarantee::kPerRequest}) {
    for (const double fading : {5.0, 9.0, 14.0}) {
      const LinearRun run = OldAfterRecent(guarantee, fading);
      const double worst = WorstOf(run);
      EXPECT_LE(worst, 1 + kSlack) << fading;
      EXPECT_GE(worst, 0.98) << fading;
      // Without the reserve the first old event costs a square root of its influence.
      const double left = std::exp(-fading);
      std::cout << "[ exact    ] " << Name(guarantee) << ", old events at " << left
                << " of the recent one: sigma " << run.sigmas[1] / run.sigmas[0]
                << " of the first, sqrt(2 e/S) " << std::sqrt(2 * left)
                << ", worst exact/certified " << worst << std::endl;
      // What is left is the grid of the first draw. At 0.7% an event is too large for the reserve.
      const double most = fading < 9 ? 1.1 * std::sqrt(2 * left) : 2e-5;
      EXPECT_LE(run.sigmas[1], most * run.sigmas[0]);
    }
  }
}

// The reserve bounds how many small draws there are. Planted: every old event is deleted with a
// draw for its rounding alone, for ever.
TEST(ExactReserve, CatchesSmallDrawsThatNeverRestoreTheReserve) {
  LinearRun run = OldAfterRecent(Guarantee::kJoint, 9);
  EXPECT_LE(WorstOf(run), 1 + kSlack);
  std::fill(run.sigmas.begin() + 1, run.sigmas.end(), run.sigmas[1]);
  EXPECT_GT(WorstOf(run), 1 + kSlack);
}

// Planted: the reserve is added to the budget in place of being taken from it.
TEST(ExactReserve, CatchesAReserveOfTheWrongSign) {
  Dice dice(1);
  LinearRun run = SingleDeletionRun(dice);
  const double right = WorstOf(run);
  EXPECT_LE(right, 1);
  const double reserve = ShiftNoiseCurve::kReserve;
  run.sigmas[0] *= std::sqrt((1 - reserve) / (1 + reserve));
  EXPECT_GT(WorstOf(run), 1 + kSlack);
}

// The same history with the least sigma each time, to compare the variance that is carried: the
// reserve changes when noise is drawn, and adds next to nothing to how much.
TEST(ExactReserve, AddsNextToNothingToTheNoiseInTotal) {
  const auto total = [](const std::vector<double>& sigmas) {
    return std::inner_product(sigmas.begin(), sigmas.end(), sigmas.begin(), 0.0);
  };
  const LinearRun run = OldAfterRecent(Guarantee::kJoint, 9);
  OnlineRun ledger = run.script.NewRun();
  ShiftNoiseCurve curve;
  const ShiftNoiseCurve::Group everybody[] = {KeyHash{}};
  std::vector<double> least;
  for (const Request& request : run.script.requests()) {
    while (ledger.ledger().steps() < request.after) ledger.Skip();
    const DoubleDouble now = ledger.ledger().Log();
    for (const Target& target : request.batch) {
      curve.AddShift(KeyHash{}, TrulyEntered(target.index), ledger.ledger().Influence(target.index),
                     now);
    }
    least.push_back(curve.LeastSigma(
        everybody, run.script.plan().promise.rho,
        [&](double sigma) { return ledger.ExtraShift(sigma); }, now));
    curve.AddDraw(ledger.ledger().steps(), least.back() * least.back(), now);
    ledger.BookDraw(least.back());
  }
  std::cout << "[ exact    ] reserve: variance of " << least.size() << " draws "
            << total(run.sigmas) / total(least) << " of that of the least sigmas; the second sigma "
            << run.sigmas[1] / least[1] << " of the least" << std::endl;
  EXPECT_LE(total(run.sigmas), total(least) * (1 + 3 * ShiftNoiseCurve::kReserve));
  EXPECT_LE(run.sigmas[1], 0.01 * least[1]);
}

}  // namespace
}  // namespace lethe::proof::exact_reserve_test
