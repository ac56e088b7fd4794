// Exact, the shrink before a draw: z <- a z with a factor that is a function of public quantities
// is a contraction by a in both worlds, of the model, of every shift and of all noise so far.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/proof_falsifier.h"
#include "tests/support/proof_linear.h"
#include "tests/support/proof_plants.h"
#include "tests/support/proof_tally.h"

namespace lethe::proof::exact_shrink_test {
namespace {

double SmallestOf(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

double WorstOf(const LinearRun& run) {
  const std::vector<double> ratios = ExactRatios(run);
  return *std::max_element(ratios.begin(), ratios.end());
}

std::optional<LinearRun> RandomShrunkRun(Dice& dice) {
  Spec spec = RandomSquaredSpec(dice);
  spec.forgetting.shrink.norm = spec.model.radius * dice.LogUniform(1e-4, 1);
  Script script(spec);
  AddRandomStream(dice, script);
  if (script.requests().empty()) return std::nullopt;
  return InRegime(WithDraws(std::move(script)));
}

TEST(ExactShrink, NoRandomRunNeedsMoreThanItsCertificate) {
  Tally tally;
  int shrunk = 0;
  for (std::uint64_t seed = 1; tally.runs() < 3000; ++seed) {
    Dice dice(seed);
    const auto run = RandomShrunkRun(dice);
    if (!run) continue;
    const std::vector<double> ratios = ExactRatios(*run);
    for (const double ratio : ratios) ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed;
    tally.Add(*run, ratios);
    shrunk += SmallestOf(run->shrinks) < 0.9;
  }
  tally.Print("shrunk, random");
  std::cout << "[ exact    ] " << shrunk << " runs with a factor below 0.9" << std::endl;
  EXPECT_GE(shrunk, 1000);
  EXPECT_GE(tally.worst().at("joint/curve"), 0.9);
}

// Several deletions that all push the same way, with nothing but empty events between.
LinearRun TightShrunkRun(Dice& dice, Guarantee guarantee) {
  Spec spec = TightSpec(/*feature_norm=*/1, /*lambda=*/20, /*mu=*/dice.LogUniform(0.2, 4));
  spec.model.dimension = 1 + dice.Below(3);
  spec.learning.eta = 1e-5;
  spec.forgetting.guarantee = guarantee;
  spec.forgetting.shrink.norm = dice.LogUniform(0.02, 1);
  Script script(spec);
  const Vector x = dice.Direction(spec.model.dimension, 1) * (1 - 1e-12);
  std::vector<std::int64_t> order;
  for (int i = 0; i < 4; ++i) order.push_back(script.Learn(x, spec.model.label_bound, 1));
  for (const std::int64_t index : order) {
    script.LearnMany(dice.Below(2000), Vector::Zero(x.size()), 0);
    script.Forget({index});
  }
  return WithDraws(std::move(script));
}

TEST(ExactShrink, WorstCasesAttainTheCertificate) {
  Tally tally;
  double smallest = 1;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const LinearRun run = TightShrunkRun(dice, static_cast<Guarantee>(seed % 2));
    const std::vector<double> ratios = ExactRatios(run);
    for (const double ratio : ratios) {
      ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed;
      ASSERT_GE(ratio, 0.98) << "seed " << seed;
    }
    smallest = std::min(smallest, SmallestOf(run.shrinks));
    tally.Add(run, ratios);
  }
  tally.Print("shrunk, worst cases");
  EXPECT_LE(smallest, 0.5);
}

// The factor, the sigma and what is dropped are functions of positions and of the configuration:
// streams whose events have other contents have the same ones, to the bit.
TEST(ExactShrink, NothingThatIsDrawnDependsOnWhatEventsContain) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::vector<Forgetting> draws[2];
    for (const bool other : {false, true}) {
      Dice dice(seed), contents(other ? 2 * seed + 1 : 2 * seed);
      Spec spec = LogisticSpec(/*eta=*/1, /*lambda=*/0.3, dice.LogUniform(1, 20), 0.5);
      spec.forgetting.guarantee = static_cast<Guarantee>(seed % 2);
      spec.forgetting.shrink.norm = dice.LogUniform(0.01, 10);
      spec.forgetting.retention.events = 1024;
      Script script(spec);
      for (std::int64_t i = 0; i < 3000; ++i) {
        script.Learn(contents.Direction(2, contents.Uniform()), contents.Chance(0.5) ? 1 : -1,
                     i % 9);
        if (dice.Chance(0.01)) script.Forget({dice.Chance(0.3) ? i / 3 : i});
      }
      draws[other] = script.Draws();
    }
    ASSERT_EQ(draws[0].size(), draws[1].size());
    for (std::size_t i = 0; i < draws[0].size(); ++i) {
      EXPECT_EQ(draws[0][i].sigma, draws[1][i].sigma);
      EXPECT_EQ(draws[0][i].shrink, draws[1][i].shrink);
    }
  }
}

// Planted: the factor is booked and the model is left.
TEST(ExactShrink, CatchesAShrinkThatIsNotMade) {
  Dice dice(1);
  LinearRun run = TightShrunkRun(dice, Guarantee::kJoint);
  EXPECT_LE(WorstOf(run), 1 + kSlack);
  run.shrinks.clear();
  EXPECT_GT(WorstOf(run), 1.1);
}

// Planted: only the first half of the noise shrinks with the model, as if earlier draws were made
// after the shrink.
TEST(ExactShrink, CatchesEarlierNoiseThatIsCountedInFull) {
  Dice dice(3);
  LinearRun run = TightShrunkRun(dice, Guarantee::kJoint);
  const std::vector<double> least = run.sigmas;
  ASSERT_LT(run.shrinks[1], 0.999);
  EXPECT_LE(WorstOf(run), 1 + kSlack);
  // The second draw as if the first one had kept its variance.
  const double first = run.sigmas[0] * run.sigmas[0];
  const double kept = first * (1 - run.shrinks[1] * run.shrinks[1]);
  run.sigmas[1] = std::sqrt(std::max(run.sigmas[1] * run.sigmas[1] - kept, 1e-12 * first));
  EXPECT_GT(WorstOf(run), 1 + kSlack);
}

// The step that is deleted is a tenth of the model, and the noise is large against the model.
Script LargeNoise(double norm) {
  Spec spec = LogisticSpec(/*eta=*/1, /*lambda=*/1e-3, /*radius=*/60, /*mu=*/0.2);
  spec.forgetting.shrink.norm = norm;
  return OneDeletion(spec);
}

// The factors of a calibration that takes q = |z|^2 from the model.
double FactorOf(const OnlineRun& run, double sigma) {
  const double noise = static_cast<double>(run.model_dimension()) * sigma * sigma;
  return run.squared_norm() / (run.squared_norm() + noise);
}

Verdict AttackFactors(const std::string& name, bool from_the_model) {
  const Script plain = LargeNoise(1);
  const double norm = std::sqrt(World(plain, {}, plain.Sigmas()).Before(0, 0).squared_norm());
  // The guess happens to be the very norm that the model of the real world has.
  const Script script = LargeNoise(norm);
  const Forgetting draw = script.Draws()[0];
  Pair worlds = WorldsOf(script, 0, script.Sigmas());
  if (from_the_model) {
    // The sigma without a shrink: the constants of one event, deleted at once.
    Spec off = script.plan().spec;
    off.forgetting.shrink = {.off = true, .norm = 0};
    const double sigma = OneDeletion(off).Sigmas()[0];
    worlds.learned.SetShrinks({FactorOf(worlds.learned.Before(0, 0), sigma)});
    worlds.blank.SetShrinks({FactorOf(worlds.blank.Before(0, 0), sigma)});
    EXPECT_NEAR(FactorOf(worlds.learned.Before(0, 0), sigma), draw.shrink, 1e-6);
  }
  EXPECT_LT(draw.shrink, 0.95);
  return Report(name, Falsify(script, worlds, 20000, LinearAttack(worlds, 0)));
}

TEST(FalsifierCatches, AShrinkThatDependsOnTheModel) {
  EXPECT_FALSE(AttackFactors("  a public guess of |z|", false).caught());
  EXPECT_TRUE(AttackFactors("the shrink of |z| itself", true).caught());
}

}  // namespace
}  // namespace lethe::proof::exact_shrink_test
