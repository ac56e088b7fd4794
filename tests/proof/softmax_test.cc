// Several classes and importance weights against the ledger, in doubles: two worlds that differ in
// any set of events are never further apart than the ledger says; and planted errors are.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "engine/learning/mean_cost.h"
#include "engine/learning/reset.h"
#include "engine/modes/online_unlearner.h"
#include "engine/plan.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_random.h"

namespace lethe::proof::softmax_test {
namespace {

Spec SoftmaxSpec(std::int64_t dimension, std::int64_t classes) {
  Spec spec = PassiveSpec();
  spec.model.loss = LossKind::kSoftmax;
  spec.model.dimension = dimension;
  spec.model.classes = classes;
  return spec;
}

Plan MustPlan(const Spec& spec) {
  auto plan = Plan::Make(spec);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return std::move(plan).value();
}

Spec RandomSpec(Dice& dice) {
  Spec spec = SoftmaxSpec(1 + dice.Below(5), 2 + dice.Below(8));
  spec.model.feature_norm = dice.LogUniform(0.1, 10);
  const double squared = spec.model.feature_norm * spec.model.feature_norm;
  spec.model.lambda = squared * dice.LogUniform(1e-4, 10);
  spec.model.radius = dice.LogUniform(0.01, 100);
  spec.model.weight_bound = dice.Chance(0.5) ? 1 : dice.LogUniform(0.1, 10);
  spec.learning.schedule = static_cast<ScheduleKind>(dice.Below(3));
  if (spec.learning.schedule == ScheduleKind::kConstant) {
    spec.learning.eta =
        dice.LogUniform(1e-2, 1) / (squared / 2 * spec.model.weight_bound + spec.model.lambda);
  }
  spec.forgetting.mode = "active";
  spec.forgetting.active.variant = ActiveVariant::kLedger;
  return spec;
}

Example RandomExample(Dice& dice, const ModelSpec& model, bool is_extreme) {
  const double length = model.feature_norm * (is_extreme ? 1 : dice.Uniform());
  Example example{is_extreme ? Vector(Vector::Unit(model.dimension, 0) * length)
                             : dice.Direction(model.dimension, length),
                  static_cast<double>(dice.Below(model.classes))};
  example.w = dice.Chance(0.2) ? 0 : model.weight_bound * (is_extreme ? 1 : dice.Uniform());
  return example;
}

struct Side {
  explicit Side(const Plan& plan)
      : run(NewOnlineRun(plan.spec, plan.constants, plan.schedule)),
        cost(Loss(plan.spec.model), plan.constants, payloads) {}
  MemoryPayloads payloads;
  OnlineRun run;
  MeanCost cost;
};

// The worst distance over bound of one pair of runs. `constants` may be planted.
double WorstOf(Dice& dice, const Plan& plan) {
  Side learned(plan);
  Side blank(plan);
  std::vector<EventIndex> concerned;
  const bool is_extreme = dice.Chance(0.5);
  double worst = 0;
  for (int t = 0; t < 60; ++t) {
    const EventIndex index{t};
    const Example example = RandomExample(dice, plan.spec.model, is_extreme);
    const bool is_concerned = dice.Chance(0.1);
    learned.run.Learn(example);
    learned.payloads.Add(index, example);
    if (is_concerned) {
      blank.run.Skip();
      concerned.push_back(index);
    } else {
      blank.run.Learn(example);
      blank.payloads.Add(index, example);
    }
    if (dice.Chance(0.03)) {
      for (Side* side : {&learned, &blank}) side->run.Descend(side->cost, 2);
    }
    double bound = learned.run.ledger().RoundOff();
    for (const EventIndex u : concerned) bound += learned.run.ledger().Influence(u);
    const double distance = (learned.run.model() - blank.run.model()).norm();
    if (bound > 0) worst = std::max(worst, distance / bound);
  }
  return worst;
}

TEST(SoftmaxLedger, NoPairOfRunsIsFurtherApartThanTheLedgerSays) {
  Dice dice(1);
  double worst = 0;
  for (int i = 0; i < 600; ++i) worst = std::max(worst, WorstOf(dice, MustPlan(RandomSpec(dice))));
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.5);  // or the test would see nothing
}

// One event of the largest weight at a sure and wrong model: its step has nearly the length eta L.
double StepOverBound(const Plan& plan) {
  const Constants& c = plan.constants;
  OnlineRun run = NewOnlineRun(plan.spec, c, plan.schedule);
  Example sure{Vector::Unit(plan.spec.model.dimension, 0) * plan.spec.model.feature_norm, 0};
  sure.w = plan.spec.model.weight_bound;
  for (int i = 0; i < 400; ++i) run.Learn(sure);
  const Vector before = run.model();
  Example wrong = sure;
  wrong.y = 1;
  run.Learn(wrong);
  const EventIndex last{run.ledger().steps() - 1};
  return (run.model() - before).norm() / (run.ledger().Influence(last) + run.ledger().RoundOff());
}

TEST(SoftmaxLedger, AWrongGOrAWeightThatTheBoundForgetsIsCaught) {
  Spec spec = SoftmaxSpec(2, 3);
  spec.model.lambda = 1e-3;
  spec.model.weight_bound = 4;
  const Plan plan = MustPlan(spec);
  EXPECT_LE(StepOverBound(plan), 1);
  EXPECT_GT(StepOverBound(plan), 0.9);
  const auto planted = [&](double factor) {
    Plan wrong = plan;
    wrong.constants.G *= factor;
    wrong.constants.L = wrong.constants.G + wrong.constants.mu * wrong.constants.radius;
    return StepOverBound(wrong);
  };
  EXPECT_GT(planted(1 / (2 * std::numbers::sqrt2)), 1);  // G = R/2
  EXPECT_GT(planted(1 / std::numbers::sqrt2), 1);        // G = R, as for logistic
  EXPECT_GT(planted(0.25), 1);                           // without the bound on weights
}

// Weight 0 must contract like every other event: the ledger does not know weights. Without a step,
// an event learned long ago would have all of its influence, and the ledger say that it has none.
TEST(SoftmaxLedger, WeightZeroContractsWhereTheLedgerCountsOnIt) {
  Spec spec = SoftmaxSpec(2, 3);
  spec.model.lambda = 0.1;
  const Plan plan = MustPlan(spec);
  OnlineRun learned = NewOnlineRun(plan.spec, plan.constants, plan.schedule);
  OnlineRun blank = NewOnlineRun(plan.spec, plan.constants, plan.schedule);
  OnlineRun planted = NewOnlineRun(plan.spec, plan.constants, plan.schedule);
  const Example event{Vector::Unit(2, 0), 1};
  learned.Learn(event);
  planted.Learn(event);
  blank.Skip();
  Example nothing{Vector::Unit(2, 1), 2};
  nothing.w = 0;
  for (int i = 0; i < 100; ++i) {
    learned.Learn(nothing);
    blank.Learn(nothing);
    planted.Skip();  // the error: no step
  }
  const double bound = learned.ledger().Influence({0}) + learned.ledger().RoundOff();
  EXPECT_LE((learned.model() - blank.model()).norm(), bound);
  EXPECT_GT((planted.model() - blank.model()).norm(), bound);
}

// A run that forgets exactly counts steps only: there weight 0 is the blank, bit for bit.
TEST(SoftmaxLedger, WeightZeroIsTheBlankOfExactModes) {
  for (const std::int64_t classes : {0, 3}) {
    Spec spec = SoftmaxSpec(2, classes);
    if (classes == 0) spec.model.loss = LossKind::kLogistic;
    spec.forgetting.mode = "rewind";
    const Plan plan = MustPlan(spec);
    const auto run = [&] {
      return NewOnlineRun(plan.spec, plan.constants, plan.schedule, Ledger::Account::kStepsOnly);
    };
    OnlineRun weightless = run();
    OnlineRun blank = run();
    for (int t = 0; t < 40; ++t) {
      Example example{Vector::Constant(2, 0.1 * (t % 7)), static_cast<double>(1)};
      if (t % 3 != 0) {
        weightless.Learn(example);
        blank.Learn(example);
        continue;
      }
      example.w = 0;
      weightless.Learn(example);
      blank.Skip();
    }
    EXPECT_EQ(weightless.model(), blank.model());
    EXPECT_EQ(weightless.ledger().steps(), blank.ledger().steps());
  }
}

// w = z_1 - z_2, |w| = sqrt 2 |Z|: a regulariser of lambda on w is one of 2 lambda on Z.
TEST(SoftmaxRun, TwoClassesPredictWhatLogisticDoes) {
  Spec two = SoftmaxSpec(4, 2);
  two.model.lambda = 0.02;
  two.learning.eta = 0.1;
  Spec one = PassiveSpec();
  one.model.dimension = 4;
  one.model.lambda = 0.02;
  one.learning.eta = 0.2;
  one.model.lambda = 0.01;
  const Plan plan_two = MustPlan(two);
  const Plan plan_one = MustPlan(one);
  OnlineRun softmax = NewOnlineRun(two, plan_two.constants, plan_two.schedule);
  OnlineRun logistic = NewOnlineRun(one, plan_one.constants, plan_one.schedule);
  Dice dice(3);
  for (int t = 0; t < 500; ++t) {
    Example example{dice.Direction(4, dice.Uniform()), static_cast<double>(dice.Below(2))};
    example.w = dice.Uniform();
    const auto scores = softmax.Learn(example).scores;
    const double difference = scores[0] - scores[1];
    example.y = 1 - 2 * example.y;
    EXPECT_NEAR(difference, logistic.Learn(example).score, 1e-12) << t;
  }
}

TEST(SoftmaxRun, HashedFeaturesTakeTheDenseStep) {
  Dice dice(4);
  Spec dense = SoftmaxSpec(16, 5);
  dense.model.radius = 0.7;  // the projection works too
  Spec hashed = dense;
  hashed.model.dimension = 0;
  hashed.model.hash_bits = 4;
  const Plan plan = MustPlan(dense);
  OnlineRun full = NewOnlineRun(dense, plan.constants, plan.schedule);
  OnlineRun sparse = NewOnlineRun(hashed, plan.constants, plan.schedule);
  for (int t = 0; t < 9000; ++t) {
    Example example{Vector::Zero(16), static_cast<double>(dice.Below(5))};
    Example named{Vector::Zero(3), example.y};
    std::uint32_t at = 0;
    for (Eigen::Index i = 0; i < 3; ++i) {
      at += 1 + static_cast<std::uint32_t>(dice.Below(4));
      named.at.push_back(at);
      named.x[i] = example.x[at] = dice.Uniform(-0.5, 0.5);
    }
    full.Learn(example);
    sparse.Learn(named);
    ASSERT_LE((full.model() - sparse.model()).norm(),
              full.ledger().RoundOff() + sparse.ledger().RoundOff());
    ASSERT_LE(sparse.squared_norm(), 0.49 * (1 + 1e-12));
  }
}

TEST(SoftmaxCost, DerivativesAreThoseOfTheValueAndAResetReachesTheMinimiser) {
  Dice dice(5);
  for (int round = 0; round < 8; ++round) {
    Spec spec = SoftmaxSpec(6, 2 + dice.Below(5));
    spec.model.lambda = 0.01;
    spec.model.weight_bound = 3;
    spec.model.radius = 200;
    spec.forgetting.mode = "active";
    const Plan plan = MustPlan(spec);
    Side side(plan);
    for (int t = 0; t < 300; ++t) {
      side.payloads.Add({t}, RandomExample(dice, spec.model, false));
    }
    Vector z = dice.Direction(6 * (spec.model.classes - 1), 2);
    const Vector v = dice.Direction(z.size(), 1);
    constexpr double kStep = 1e-5;
    const double slope =
        (side.cost.Value(z + kStep * v) - side.cost.Value(z - kStep * v)) / (2 * kStep);
    EXPECT_NEAR(side.cost.Gradient(z).dot(v), slope, 1e-8);
    const Vector bend =
        (side.cost.Gradient(z + kStep * v) - side.cost.Gradient(z - kStep * v)) / (2 * kStep);
    EXPECT_LT((side.cost.HessianTimes(side.cost.CurvatureAt(z), v) - bend).norm(), 1e-7);
    ASSERT_TRUE(ResetTo(side.cost, plan.constants, 1e-10, z).ok());
    EXPECT_LE(side.cost.Gradient(z).norm(), 1e-10);
    EXPECT_LE(z.norm(), MinimiserRadius(spec.model, plan.constants));
  }
}

}  // namespace
}  // namespace lethe::proof::softmax_test
