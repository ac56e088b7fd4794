// Falsifier, first half: no certified configuration can be told apart better than it promises. The
// streams are hostile: the deleted events push against a model that predicts the opposite, so that
// their gradients come near to L, and everything that is told apart lies along one direction.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/passive_spec.h"
#include "tests/support/proof_falsifier.h"
#include "tests/support/proof_random.h"

namespace lethe::proof::falsifier_certified_test {
namespace {

constexpr std::int64_t kSeeds = 20000;

Spec Base(LossKind loss, ScheduleKind schedule) {
  Spec spec = PassiveSpec();
  spec.model.loss = loss;
  spec.model.dimension = 3;
  spec.model.lambda = 0.005;
  spec.model.radius = 6;
  spec.model.label_bound = 8;
  spec.learning.schedule = schedule;
  SetEta(0.4, spec.learning);
  spec.learning.horizon = {.events = 400, .deletions = 4};
  spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = 1.0, .rho = {}};
  return spec;
}

// Two people and one event of nobody; old and recent events, whole subjects, a second request by
// the same person.
Script HostileScript(const Spec& spec) {
  Script script(spec);
  Dice dice(7);
  const bool bias = spec.model.bias;
  const auto d = static_cast<Eigen::Index>(spec.model.dimension + bias);
  Vector along = Vector::Unit(d, 0);
  if (bias) along[d - 1] = 1;
  const double high = spec.model.loss == LossKind::kLogistic ? 1 : spec.model.label_bound;
  const auto retain = [&](int count) {
    for (int i = 0; i < count; ++i) {
      Vector x = along;
      if (i % 8 == 7) x.head(spec.model.dimension) = dice.Direction(spec.model.dimension, 1);
      script.Learn(x, x[0] > 0 ? high : -high);
    }
  };
  const auto oppose = [&](std::optional<std::uint64_t> subject) {
    return script.Learn(along, -high, subject);
  };
  retain(3000);
  const std::int64_t old = oppose(1);
  retain(3);
  const std::int64_t recent = oppose(2), also = oppose(1);
  retain(1);
  script.Forget({recent});
  retain(4);
  const std::int64_t after_a_draw = oppose(1);
  retain(1);
  script.Forget({old, also, after_a_draw});
  retain(4);
  script.Forget({oppose({})});
  const std::int64_t second = oppose(2);
  retain(8);
  script.Forget({second});
  return script;
}

// The worlds of this file are the product: world A is the mode itself, bit for bit.
void ExpectWorldIsTheMode(const Script& script, const World& learned) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const std::size_t last = script.requests().size() - 1;
    KeyedRandom random(seed);
    ASSERT_EQ(script.ModelOfMode(last, random), learned.Sample(last, seed));
  }
}

// Attacks every request of a script. Returns the most successful attack.
Verdict ExpectEveryRequestHolds(const std::string& name, const Script& script) {
  EXPECT_TRUE(script.plan().WhyNotCertified().empty());
  const std::vector<double> sigmas = script.Sigmas();
  Verdict worst;
  for (std::size_t i = 0; i < script.requests().size(); ++i) {
    const Pair worlds = WorldsOf(script, i, sigmas);
    if (i == 0) ExpectWorldIsTheMode(script, worlds.learned);
    const Verdict verdict = Falsify(script, worlds, kSeeds, LinearAttack(worlds, i));
    EXPECT_FALSE(verdict.caught()) << name << ", request " << i + 1;
    if (i == 0 || verdict.lower_bound > worst.lower_bound) worst = verdict;
  }
  return Report(name, worst);
}

class Certified : public testing::TestWithParam<ScheduleKind> {};

TEST_P(Certified, HoldsForEveryGuaranteeAndSplit) {
  double worst = 0;
  for (const Guarantee guarantee : {Guarantee::kJoint, Guarantee::kPerRequest}) {
    for (const Split split : {Split::kCurve, Split::kZeta, Split::kHorizon}) {
      Spec spec = Base(LossKind::kLogistic, GetParam());
      spec.forgetting.guarantee = guarantee;
      spec.forgetting.split = split;
      const std::string name =
          std::string(Name(GetParam())) + ", " + Name(guarantee) + ", " + Name(split);
      worst = std::max(worst, ExpectEveryRequestHolds(name, HostileScript(spec)).lower_bound);
    }
  }
  // An attack that finds nothing anywhere would prove nothing.
  EXPECT_GE(worst, 0.7);
}

INSTANTIATE_TEST_SUITE_P(Falsifier, Certified,
                         testing::Values(ScheduleKind::kConstant, ScheduleKind::kInverseTime,
                                         ScheduleKind::kInverseSqrt, ScheduleKind::kHorizon),
                         [](const auto& info) { return std::string(Name(info.param)); });

TEST(FalsifierCertified, HoldsForTheHuberLoss) {
  const Spec spec = Base(LossKind::kHuber, ScheduleKind::kConstant);
  EXPECT_GE(ExpectEveryRequestHolds("Huber", HostileScript(spec)).lower_bound, 0.7);
}

TEST(FalsifierCertified, HoldsWithABias) {
  Spec spec = Base(LossKind::kLogistic, ScheduleKind::kConstant);
  spec.model.bias = true;
  EXPECT_GE(ExpectEveryRequestHolds("bias", HostileScript(spec)).lower_bound, 0.7);
}

TEST(FalsifierCertified, HoldsWhereProjectionIsActive) {
  Spec spec = Base(LossKind::kLogistic, ScheduleKind::kConstant);
  spec.model.radius = 0.6;
  const Script script = HostileScript(spec);
  const World learned(script, {}, script.Sigmas());
  OnlineRun run = script.NewRun();
  const auto on_the_sphere = [&](const Vector& z) {
    return z.norm() > spec.model.radius * (1 - 1e-12);
  };
  // Both kinds of projection: after a learn step, and after a draw.
  int after_step = 0, after_draw = 0;
  for (const Example& example : script.events()) {
    run.Learn(example);
    after_step += on_the_sphere(run.model());
  }
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Vector model = learned.Sample(0, seed);
    ASSERT_LE(model.norm(), spec.model.radius);
    after_draw += on_the_sphere(model);
  }
  EXPECT_GE(after_step, 1000);
  EXPECT_GE(after_draw, 100);
  ExpectEveryRequestHolds("projection", script);
}

// The harness itself: a known shift is found, and not more than it.
TEST(FalsifierHarness, FindsAKnownShiftAndNoMore) {
  Dice dice(3);
  std::vector<double> learned, blank;
  for (int i = 0; i < 100000; ++i) {
    learned.push_back(dice.Normal() + 1);
    blank.push_back(dice.Normal());
  }
  const double bound = LowerBoundOnMu(learned, blank);
  EXPECT_GT(bound, 0.95);
  EXPECT_LT(bound, 1);
}

TEST(FalsifierHarness, ConfidenceBoundsAreClopperAndPearsons) {
  // Closed forms: no hit in n trials, and every one.
  EXPECT_NEAR(RateAtMost(0, 1000, 0.025), 1 - std::pow(0.025, 1e-3), 1e-12);
  EXPECT_NEAR(RateAtLeast(1000, 1000, 0.025), std::pow(0.025, 1e-3), 1e-12);
  // The textbook's 10 of 100 at 95%: (0.0490, 0.1762).
  EXPECT_NEAR(RateAtLeast(10, 100, 0.025), 0.0490, 5e-5);
  EXPECT_NEAR(RateAtMost(10, 100, 0.025), 0.1762, 5e-5);
  EXPECT_NEAR(NormalQuantile(0.975), 1.959964, 1e-6);
}

}  // namespace
}  // namespace lethe::proof::falsifier_certified_test
