// Falsifier, second half, continued: planted errors in what is released, where the amount of noise
// is right and something else gives the world away.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "engine/privacy/noise.h"
#include "engine/spec/loss.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/proof_falsifier.h"
#include "tests/support/proof_plants.h"
#include "tests/support/proof_random.h"

namespace lethe::proof::falsifier_outputs_test {
namespace {

constexpr std::int64_t kSeeds = 20000;

// An attacker who has two consecutive models and knows the event between them computes the step
// size, and under the adaptive schedule from that the sum of all squared gradients.
double StepSizeBetween(const Vector& before, const Vector& after, const Example& known,
                       double lambda) {
  const double slope = Loss(LossKind::kLogistic).Slope(before.dot(known.x), known.y);
  const Vector gradient = slope * known.x + lambda * before;
  return (before - after).dot(gradient) / gradient.squaredNorm();
}

Verdict AttackStepSize(const std::string& name, ScheduleKind schedule) {
  Spec spec = LogisticSpec(/*eta=*/0.5, /*lambda=*/0.01, /*radius=*/4, /*mu=*/1);
  spec.learning.schedule = schedule;
  Script script(spec);
  Dice dice(1);
  for (int i = 0; i < 60; ++i) script.Learn(dice.Direction(2, 1), dice.Chance(0.5) ? 1 : -1);
  const std::int64_t deleted = script.Learn(dice.Direction(2, 1), 1);
  script.Forget({deleted});
  EXPECT_EQ(script.plan().WhyNotCertified().empty(), schedule != ScheduleKind::kAdaptive);
  const std::vector<double> sigmas = script.Sigmas();
  const Example known{Vector::Unit(2, 0) * 0.5, 1};
  const auto learned = [&](std::uint64_t seed) {
    KeyedRandom random(seed);
    MemoryPayloads payloads;
    const auto mode = script.NewMode(script.plan().spec, random, payloads);
    for (const Example& example : script.events()) mode->Learn(example);
    mode->Release(script.requests()[0].batch);
    EXPECT_TRUE(mode->Forget(script.requests()[0].batch).ok());
    const Vector before = mode->model();
    mode->Learn(known);
    return StepSizeBetween(before, mode->model(), known, spec.model.lambda);
  };
  const auto blank = [&](std::uint64_t seed) {
    KeyedRandom random(seed);
    OnlineRun run = script.NewRun();
    for (std::size_t i = 0; i + 1 < script.events().size(); ++i) run.Learn(script.events()[i]);
    if (schedule != ScheduleKind::kAdaptive) run.Learn({Vector::Zero(2), 0});
    run.Draw(sigmas[0], random, {Stream::Purpose::kNoise, ShardId{0}, 0});
    const Vector before = run.model();
    run.Learn(known);
    return StepSizeBetween(before, run.model(), known, spec.model.lambda);
  };
  return Report(name, Falsify(script.plan().promise.mu, kSeeds, learned, blank));
}

TEST(FalsifierCatches, AdaptiveStepsCertified) {
  EXPECT_TRUE(AttackStepSize("adaptive certified", ScheduleKind::kAdaptive).caught());
  EXPECT_FALSE(AttackStepSize("  with public steps", ScheduleKind::kConstant).caught());
}

TEST(FalsifierCatches, RealisedNoiseInAMetric) {
  const Script script = OneDeletion(LogisticSpec(0.1, 1e-3, 8, 1));
  const Pair worlds = WorldsOf(script, 0, script.Sigmas());
  const Vector if_learned = worlds.learned.Noiseless(0), if_blank = worlds.blank.Noiseless(0);
  // How much better the exported length fits the one world than the other.
  const auto fit = [&](const Vector& model, double length) {
    return std::abs((model - if_blank).norm() - length) -
           std::abs((model - if_learned).norm() - length);
  };
  const auto with_metric = [&](const World& world, std::uint64_t seed) {
    const Vector model = world.Sample(0, seed);
    return fit(model, (model - world.Before(0, seed).model()).norm());
  };
  const auto without = [&](const World& world, std::uint64_t seed) {
    return fit(world.Sample(0, seed), 0);
  };
  EXPECT_TRUE(
      Report("|xi| next to the model", Falsify(script, worlds, kSeeds, with_metric)).caught());
  EXPECT_FALSE(Report("  the model alone", Falsify(script, worlds, kSeeds, without)).caught());
}

TEST(FalsifierCatches, RoundOffIgnored) {
  // Steps so small that near the fixed point an update is below half an ulp and is lost. One world
  // comes from below and gets stuck there; in the other the deleted event, four times as steep,
  // threw the model above. In exact arithmetic they would be 1e-80 apart.
  Script script(LogisticSpec(/*eta=*/2e-3, /*lambda=*/0.5, /*radius=*/4, /*mu=*/1));
  const Vector half = Vector::Unit(2, 0) / 2;
  script.LearnMany(30000, half, 1);
  const std::int64_t deleted = script.Learn(Vector::Unit(2, 0), 1);
  script.LearnMany(190000, half, 1);
  script.Forget({deleted});
  const Pair product = WorldsOf(script, 0, script.Sigmas());
  const double influence = product.learned.Before(0, 0).ledger().Influence({deleted});
  EXPECT_LT(influence, 1e-80);
  EXPECT_LT((product.learned.Noiseless(0) - product.blank.Noiseless(0)).norm(), 1e-12);
  const Pair planted = WorldsOf(script, 0, {influence / script.plan().promise.mu});
  EXPECT_TRUE(
      Report("round-off ignored", Falsify(script, planted, kSeeds, LinearAttack(planted, 0)))
          .caught());
  EXPECT_FALSE(
      Report("  as the product does", Falsify(script, product, kSeeds, LinearAttack(product, 0)))
          .caught());
}

// The exponent of the lowest bit that is set.
int LowestBit(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  return exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(std::ldexp(fraction, 53)));
}

TEST(FalsifierCatches, NoiseAddedWithoutTheGrid) {
  // Only the deleted event has anything along the first eight coordinates: 0 in one world, about
  // 0.02 each in the other. A sum near 0 of 0.02 and a double of that size keeps the coarse last
  // bit of the two; the noise alone does not have it.
  Spec spec = LogisticSpec(/*eta=*/0.1, /*lambda=*/1e-3, /*radius=*/8, /*mu=*/0.5);
  spec.model.dimension = 9;
  Script script(spec);
  script.LearnMany(20, Vector::Unit(9, 8), 1);
  Vector x = Vector::Constant(9, std::sqrt(1.0 / 8));
  x[8] = 0;
  script.Forget({script.Learn(x, 1)});
  const Pair worlds = WorldsOf(script, 0, script.Sigmas());
  const int coarse = std::ilogb(worlds.learned.Noiseless(0)[0]) - 52;
  const auto smallest_coarse = [&](const Vector& model) {
    double score = -1e9;
    for (Eigen::Index i = 0; i < 8; ++i) {
      if (LowestBit(model[i]) >= coarse) score = std::max(score, -std::log(std::abs(model[i])));
    }
    return score;
  };
  const auto in_doubles = [&](const World& world, std::uint64_t seed) {
    Vector model = world.Before(0, seed).model();
    Dice dice(seed);
    for (double& value : model) value += world.sigmas()[0] * dice.Normal();
    return smallest_coarse(model);
  };
  const auto on_the_grid = [&](const World& world, std::uint64_t seed) {
    return smallest_coarse(world.Sample(0, seed));
  };
  EXPECT_TRUE(Report("Box-Muller without the grid", Falsify(script, worlds, 2 * kSeeds, in_doubles))
                  .caught());
  EXPECT_FALSE(Report("  on the grid", Falsify(script, worlds, 2 * kSeeds, on_the_grid)).caught());
}

TEST(FalsifierCatches, NoiseOnTheGridAddedToAModelThatIsNot) {
  // Noise in multiples of the grid leaves what a coordinate is beyond its last grid point as it
  // was, and that is as good as the coordinate itself.
  const Script script = OneDeletion(LogisticSpec(0.1, 1e-3, 8, 1));
  const Pair worlds = WorldsOf(script, 0, script.Sigmas());
  const double grid = GridSpacing(worlds.learned.sigmas()[0], script.plan().constants.radius);
  const double if_learned = std::remainder(worlds.learned.Noiseless(0)[0], grid);
  const auto nearness = [&](double coordinate) {
    return -std::abs(std::remainder(coordinate, grid) - if_learned);
  };
  const auto model_kept = [&](const World& world, std::uint64_t seed) {
    Dice dice(seed);
    const double steps = std::round(world.sigmas()[0] / grid * dice.Normal());
    return nearness(world.Before(0, seed).model()[0] + grid * steps);
  };
  const auto model_rounded = [&](const World& world, std::uint64_t seed) {
    return nearness(world.Sample(0, seed)[0]);
  };
  EXPECT_TRUE(Report("a model off the grid", Falsify(script, worlds, kSeeds, model_kept)).caught());
  EXPECT_FALSE(Report("  rounded to it", Falsify(script, worlds, kSeeds, model_rounded)).caught());
}

}  // namespace
}  // namespace lethe::proof::falsifier_outputs_test
