// Exact, mode active: descents and resets are affine maps of the model too.
#include <cmath>
#include <iostream>

#include <gtest/gtest.h>

#include "state/payloads/memory_payloads.h"
#include "tests/support/proof_linear.h"
#include "tests/support/proof_tally.h"

namespace lethe::proof::exact_active_test {
namespace {

TEST(Exact, DescentsOnRetainedEventsAreCountedWhenThoseAreDeletedLater) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 500; ++seed) {
    Dice dice(seed);
    const LinearRun run = RandomDescentRun(dice);
    const std::vector<double> ratios = ExactRatios(run);
    for (const double ratio : ratios) EXPECT_LE(ratio, 1 + kSlack) << "seed " << seed;
    tally.Add(run, ratios);
  }
  tally.Print("active, variant ledger");
  for (const auto& [kind, ratio] : tally.worst()) EXPECT_GE(ratio, 0.5) << kind;
}

TEST(Exact, ADescentLetsItsEventsEnterAgain) {
  const std::vector<double> ratios = ExactRatios(DescentAfterDrawRun());
  for (const double ratio : ratios) EXPECT_LE(ratio, 1 + kSlack);
}

TEST(Exact, ThePapersDescentsAreCountedWhileTheyUseTheBatch) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 500; ++seed) {
    Dice dice(seed);
    const LinearRun run = RandomPaperRun(dice);
    const std::vector<double> ratios = ExactRatios(run);
    for (const double ratio : ratios) EXPECT_LE(ratio, 1 + kSlack) << "seed " << seed;
    tally.Add(run, ratios);
  }
  tally.Print("active, variant paper");
  for (const auto& [kind, ratio] : tally.worst()) EXPECT_GE(ratio, 0.5) << kind;
}

// The bound is for any curvature between mu and beta and any place in the ball, so it is not
// attained.
TEST(Exact, ANewtonStepOutOfTheBatchIsCovered) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 500; ++seed) {
    Dice dice(seed);
    const LinearRun run = RandomNewtonRun(dice);
    const std::vector<double> ratios = ExactRatios(run);
    for (const double ratio : ratios) EXPECT_LE(ratio, 1 + kSlack) << "seed " << seed;
    tally.Add(run, ratios);
  }
  tally.Print("active, variant algorithm_3");
}

TEST(Exact, AResetIsCoveredWhereverItsToleranceLetsItStop) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 500; ++seed) {
    Dice dice(seed);
    const LinearRun run = RandomResetRun(dice);
    const std::vector<double> ratios = ExactRatios(run);
    for (const double ratio : ratios) EXPECT_LE(ratio, 1 + kSlack) << "seed " << seed;
    tally.Add(run, ratios);
  }
  tally.Print("active, variant second_order");
  for (const auto& [kind, ratio] : tally.worst()) EXPECT_GE(ratio, 0.99) << kind;
}

// The other half of that argument: the engine's own resets, in the world with these blank events
// and with noise between them, stop no further from the real minimiser. Returns the worst distance
// in units of tolerance/mu.
double WorstStop(const LinearRun& run, const std::vector<bool>& blank, std::uint64_t seed) {
  const Script& script = run.script;
  const Plan& plan = script.plan();
  const double tolerance = plan.spec.forgetting.active.tolerance;
  KeyedRandom random(seed);
  MemoryPayloads payloads;
  const MeanCost cost(Loss(LossKind::kSquared), plan.constants, payloads);
  OnlineRun engine = script.NewRun();
  double worst = 0;
  for (std::size_t i = 0; i < script.requests().size(); ++i) {
    while (engine.ledger().steps() < script.requests()[i].after) {
      const EventIndex index{engine.ledger().steps()};
      const auto event = static_cast<std::size_t>(index.value);
      if (!blank.empty() && blank[event]) {
        engine.Skip();
        continue;
      }
      payloads.Add(index, script.events()[event]);
      engine.Learn(script.events()[event]);
    }
    for (const Target& target : script.requests()[i].batch) payloads.Remove(target.index);
    EXPECT_TRUE(engine.Reset(cost, tolerance).ok());
    GaussianWorld exact(engine.model().size());
    exact.Minimise(StoredAt(script, blank, i), plan.constants.mu);
    const auto away = (engine.model().cast<GaussianWorld::Real>() - exact.mean()).norm();
    worst = std::max(worst, static_cast<double>(away) * plan.constants.mu / tolerance);
    engine.Draw(run.sigmas[i], random, {Stream::Purpose::kNoise, ShardId{0}, i});
  }
  return worst;
}

TEST(Exact, ResetsStopWithinTheirToleranceInBothWorlds) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Dice dice(seed);
    const LinearRun run = RandomResetRun(dice);
    for (const auto& blank : {std::vector<bool>{}, run.script.Blank(0)}) {
      const double stop = WorstStop(run, blank, seed);
      ASSERT_LE(stop, 1) << "seed " << seed;
      worst = std::max(worst, stop);
    }
  }
  std::cout << "[ exact    ] resets: worst distance from the minimiser " << worst
            << " of tolerance/mu" << std::endl;
  EXPECT_GE(worst, 0.5);
}

}  // namespace
}  // namespace lethe::proof::exact_active_test
