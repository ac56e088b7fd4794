// Exact: with squared loss and no projection a run is linear and its noise Gaussian, so the
// divergence between the two worlds has a closed form, computed by matrix algebra that shares
// nothing with the engine but the noise levels under test. Certified must be at least exact, for
// thousands of random runs, and close to it for the worst ones.
#include <algorithm>
#include <cmath>
#include <iostream>

#include <gtest/gtest.h>

#include "engine/privacy/curve.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_linear.h"
#include "tests/support/proof_tally.h"

namespace lethe::proof::exact_test {
namespace {

TEST(Exact, NoRandomRunNeedsMoreThanItsCertificate) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 3000; ++seed) {
    Dice dice(seed);
    const auto run = RandomLinearRun(dice);
    if (!run) continue;
    const std::vector<double> ratios = ExactRatios(*run);
    for (const double ratio : ratios) ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed;
    tally.Add(*run, ratios);
  }
  tally.Print("random");
  // Every guarantee with every split, and runs in which it matters.
  ASSERT_EQ(tally.worst().size(), 6u);
  EXPECT_GE(tally.worst().at("joint/curve"), 0.9);
  EXPECT_GE(tally.worst().at("per_request/curve"), 0.9);
}

TEST(Exact, WorstCasesAttainTheCertificateAtEveryDeletion) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 300; ++seed) {
    Dice dice(seed);
    const LinearRun run = TightLinearRun(dice);
    const std::vector<double> ratios = ExactRatios(run);
    for (const double ratio : ratios) {
      ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed;
      ASSERT_GE(ratio, 0.98) << "seed " << seed;
    }
    tally.Add(run, ratios);
  }
  tally.Print("worst cases");
  ASSERT_EQ(tally.worst().size(), 2u);
  for (const auto& [kind, ratio] : tally.worst()) EXPECT_GE(ratio, 0.99) << kind;
}

TEST(Exact, OnlyRoundingLiesBetweenOneDeletionAndItsCertificate) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 200; ++seed) {
    Dice dice(seed);
    const LinearRun run = SingleDeletionRun(dice);
    const std::vector<double> ratios = ExactRatios(run);
    ASSERT_LE(ratios[0], 1) << "seed " << seed;
    tally.Add(run, ratios);
  }
  tally.Print("one deletion");
  // The reserve of the curve, and the grid, which costs 2^-25 of sigma.
  EXPECT_GE(tally.worst().at("joint/curve"), (1 - ShiftNoiseCurve::kReserve) * (1 - 1e-7));
}

TEST(Exact, NoiseDrawnBeforeTheEventMayBeGoneAndIsNotCounted) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 50; ++seed) {
    Dice dice(seed);
    const LinearRun run = WipedOutRun(dice);
    const std::vector<double> ratios = ExactRatios(run);
    for (const double ratio : ratios) ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed;
    EXPECT_GE(ratios.back(), 0.98) << "seed " << seed;
    tally.Add(run, ratios);
  }
  tally.Print("wiped out");
}

// The variance that the model carries after each request: every draw, faded by the contraction
// since.
std::vector<double> Carried(const Script& script, const std::vector<double>& sigmas) {
  const Constants& c = script.plan().constants;
  std::vector<double> carried;
  long double sum = 0;
  std::int64_t step = 0;
  for (std::size_t i = 0; i < sigmas.size(); ++i) {
    while (step < script.requests()[i].after) {
      const long double eta = script.plan().schedule.Step(++step);
      const long double factor = std::max(std::abs(1 - eta * c.mu), std::abs(1 - eta * c.beta));
      sum *= factor * factor;
    }
    sum += static_cast<long double>(sigmas[i]) * sigmas[i];
    carried.push_back(static_cast<double>(sum));
  }
  return carried;
}

TEST(Exact, TheCurveNeverCarriesMoreVarianceThanTheZetaSplit) {
  double worst = 0;
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Spec spec = PassiveSpec();
    std::vector<double> carried[2];
    for (const Split split : {Split::kCurve, Split::kZeta}) {
      Dice dice(seed);
      spec = RandomSquaredSpec(dice);
      // The horizon's step depends on the split; everything else is equal.
      if (spec.learning.schedule == ScheduleKind::kHorizon) {
        spec.learning.schedule = ScheduleKind::kConstant;
        SetEta(RandomEta(dice, spec.model), spec.learning);
      }
      spec.forgetting.split = split;
      Script script(spec);
      AddRandomStream(dice, script);
      if (!script.requests().empty()) {
        carried[split == Split::kZeta] = Carried(script, script.Sigmas());
      }
    }
    for (std::size_t i = 0; i < carried[0].size(); ++i, ++compared) {
      ASSERT_LE(carried[0][i], carried[1][i]) << "seed " << seed << ", request " << i;
      worst = std::max(worst, carried[0][i] / carried[1][i]);
    }
  }
  std::cout << "[ exact    ] carried variance, curve/zeta: " << compared << " deletions, worst "
            << worst << std::endl;
}

}  // namespace
}  // namespace lethe::proof::exact_test
