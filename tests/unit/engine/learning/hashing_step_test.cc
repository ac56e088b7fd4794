#include <cfloat>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "engine/admission/event_validator.h"
#include "engine/admission/feature_hash.h"
#include "engine/base/archive.h"
#include "engine/learning/sparse_model.h"
#include "engine/modes/online_unlearner.h"
#include "engine/plan.h"
#include "engine/privacy/noise.h"
#include "engine/spec/dimension.h"
#include "tests/support/passive_spec.h"
#include "tests/support/sparse_events.h"

namespace lethe::hashing_step_test {
namespace {

using proof::Dice;
using proof::ExactNorm;
using proof::SparseEvent;

Plan MustPlan(const Spec& spec) {
  auto plan = Plan::Make(spec);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return std::move(plan).value();
}

OnlineRun NewRun(const Plan& plan) {
  return NewOnlineRun(plan.spec, plan.constants, plan.schedule);
}

Spec HashedSpec(std::int64_t bits) {
  Spec spec = PassiveSpec();
  spec.model.hash_bits = bits;
  spec.model.bias = true;
  return spec;
}

std::string Refusal(const Spec& spec) {
  const auto plan = Plan::Make(spec);
  return plan.ok() ? "accepted" : plan.status().message();
}

TEST(HashedPlanTest, RefusesBitsOutOfRange) {
  for (const std::int64_t bits : {-1, 0, 25, 64}) {
    EXPECT_EQ(Refusal(HashedSpec(bits)), "model.hash_bits: must be between 1 and 24") << bits;
  }
  EXPECT_EQ(Refusal(HashedSpec(1)), "accepted");
}

// Fourier features of hashed names are a dense model of their own dimension, in every mode.
TEST(HashedPlanTest, FourierFeaturesOfNamesAreADenseModel) {
  Spec spec = HashedSpec(12);
  spec.features.fourier.dimension = 30;
  spec.model.bias = false;
  EXPECT_FALSE(IsSparse(spec));
  EXPECT_EQ(InputDimension(spec), 30);
  spec.model.bias = true;
  EXPECT_EQ(InputDimension(spec), 31);
  for (const char* mode : {"rewind", "passive", "none", "restart", "noisy", "online_dp"}) {
    spec.forgetting.mode = mode;
    EXPECT_EQ(Refusal(spec), "accepted") << mode;
  }
  spec.model.radius = 20;
  spec.forgetting.mode = "active";
  EXPECT_EQ(Refusal(spec), "accepted");
}

TEST(HashedPlanTest, RefusesModesThatComputeOnDenseFeatures) {
  Spec spec = HashedSpec(4);
  spec.forgetting.mode = "active";
  EXPECT_EQ(Refusal(spec),
            "forgetting.mode: active computes on dense features and does not take model.hash_bits; "
            "use one of passive, rewind, retrain, restart, none, or dense features "
            "(model.dimension, or features.fourier)");
  for (const char* mode : {"passive", "none", "restart", "retrain"}) {
    spec.forgetting.mode = mode;
    EXPECT_EQ(Refusal(spec), "accepted") << mode;
  }
}

TEST(HashedPlanTest, RefusesConstantsWhoseSquaresWouldNotFit) {
  Spec spec = HashedSpec(4);
  spec.model.radius = 1e-31;
  EXPECT_NE(Refusal(spec).find("model.radius: 1e-31"), std::string::npos) << Refusal(spec);
  spec.model.radius = 1;
  spec.model.loss = LossKind::kSquared;
  spec.model.label_bound = 1e31;
  EXPECT_NE(Refusal(spec).find("model.label_bound: 1e+31"), std::string::npos) << Refusal(spec);
}

struct Scenario {
  LossKind loss;
  ScheduleKind schedule;
  double radius;
  double lambda;
};

// ctest shows parameters; without this it shows their bytes.
void PrintTo(const Scenario& scenario, std::ostream* out) {
  *out << Name(scenario.loss) << ", " << Name(scenario.schedule) << ", radius " << scenario.radius;
}

// The same stream on the hashed vectors and on the same vectors with their zeros.
class SparseStepTest : public ::testing::TestWithParam<Scenario> {
 protected:
  static Spec SpecOf(const Scenario& scenario) {
    Spec spec = HashedSpec(6);
    spec.model.loss = scenario.loss;
    spec.model.radius = scenario.radius;
    spec.model.lambda = scenario.lambda;
    spec.learning.schedule = scenario.schedule;
    spec.learning.horizon = {.events = 10, .deletions = 1};  // large steps
    return spec;
  }
};

TEST_P(SparseStepTest, EqualsTheDenseStep) {
  const Plan plan = MustPlan(SpecOf(GetParam()));
  const Eigen::Index dimension = ModelDimension(plan.spec);
  OnlineRun sparse = NewRun(plan);
  OnlineRun dense(Loss(plan.spec.model.loss), plan.constants, plan.schedule, dimension);
  Dice dice(7);
  double worst = 0;
  bool on_the_sphere = false;
  for (int t = 0; t < 100000; ++t) {
    const double y = dice.Chance(0.5) ? 1 : -1;
    const Example event = SparseEvent(dice, plan.spec.model, dice.Below(10), dice.Uniform(), y);
    const double p = sparse.Learn(event).score;
    const double q = dense.Learn({Spread(event, dimension), y}).score;
    worst = std::max(worst, std::abs(p - q));
    on_the_sphere |= dense.squared_norm() > std::pow(plan.spec.model.radius * (1 - 1e-9), 2);
    if (t % 100 == 99) worst = std::max(worst, (sparse.model() - dense.model()).norm());
  }
  EXPECT_LE(worst, 1e-12);
  EXPECT_GT(dense.model().norm(), plan.spec.model.radius * 1e-4);
  EXPECT_EQ(on_the_sphere, GetParam().radius < 10);
}

TEST_P(SparseStepTest, NeverLeavesTheBallAndKeepsItsNorm) {
  const Plan plan = MustPlan(SpecOf(GetParam()));
  OnlineRun run = NewRun(plan);
  Dice dice(8);
  for (int t = 0; t < 20000; ++t) {
    const double y = dice.Chance(0.6) ? 1 : -1;
    run.Learn(SparseEvent(dice, plan.spec.model, 1 + dice.Below(3), 1, y));
    const Vector z = run.model();
    const long double norm = ExactNorm(z);
    ASSERT_LE(norm, plan.constants.radius);
    ASSERT_NEAR(std::sqrt(run.squared_norm()), norm, 8 * DBL_EPSILON * norm) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SparseStepTest,
    ::testing::Values(Scenario{LossKind::kLogistic, ScheduleKind::kConstant, 100, 0.01},
                      Scenario{LossKind::kLogistic, ScheduleKind::kConstant, 0.5, 0.01},
                      Scenario{LossKind::kLogistic, ScheduleKind::kInverseTime, 100, 0.01},
                      Scenario{LossKind::kLogistic, ScheduleKind::kInverseTime, 0.05, 0.01},
                      Scenario{LossKind::kLogistic, ScheduleKind::kInverseSqrt, 100, 0.01},
                      Scenario{LossKind::kLogistic, ScheduleKind::kInverseSqrt, 0.2, 0.01},
                      Scenario{LossKind::kLogistic, ScheduleKind::kHorizon, 100, 0.01},
                      Scenario{LossKind::kLogistic, ScheduleKind::kHorizon, 0.01, 0.01},
                      Scenario{LossKind::kLogistic, ScheduleKind::kAdaptive, 100, 0.01},
                      Scenario{LossKind::kLogistic, ScheduleKind::kAdaptive, 0.1, 0.01},
                      Scenario{LossKind::kSquared, ScheduleKind::kConstant, 100, 0.1},
                      Scenario{LossKind::kSquared, ScheduleKind::kConstant, 0.5, 0.1},
                      Scenario{LossKind::kHuber, ScheduleKind::kConstant, 100, 1},
                      // Here s is about halved at every step and folded again and again.
                      Scenario{LossKind::kHuber, ScheduleKind::kConstant, 100, 20},
                      Scenario{LossKind::kLogistic, ScheduleKind::kConstant, 0.001, 20}),
    [](const ::testing::TestParamInfo<Scenario>& info) {
      return std::string(Name(info.param.loss)) + "_" + Name(info.param.schedule) + "_" +
             std::to_string(info.index);
    });

TEST(SparseRunTest, ReadingChangesNoBits) {
  Spec spec = HashedSpec(5);
  spec.model.radius = 0.7;
  spec.model.lambda = 5;
  const Plan plan = MustPlan(spec);
  OnlineRun quiet = NewRun(plan);
  OnlineRun read = NewRun(plan);
  proof::KeyedRandom random(3);
  Dice dice(9);
  Dice reader(10);
  for (int t = 0; t < 30000; ++t) {
    const Example event =
        SparseEvent(dice, spec.model, dice.Below(8), 1, dice.Chance(0.5) ? 1 : -1);
    if (reader.Chance(0.3)) {
      EXPECT_EQ(read.model(), read.model());
      EXPECT_GE(read.squared_norm(), 0);
      read.Predict(event);
      const OnlineRun copy = read;
      EXPECT_EQ(copy.model(), read.model());
    }
    ASSERT_EQ(quiet.Learn(event).score, read.Learn(event).score);
    if (t % 5000 == 4321) {
      const Stream stream{Stream::Purpose::kNoise, ShardId{0}, static_cast<std::uint64_t>(t)};
      quiet.Draw(0.01, random, stream);
      read.Draw(0.01, random, stream);
    }
    ASSERT_EQ(quiet.squared_norm(), read.squared_norm());
  }
  EXPECT_EQ(quiet.model(), read.model());
}

// Saved and loaded at moments before and after s was folded and the carried norm rescaled.
TEST(SparseRunTest, GoesOnFromWhatWasSavedWithTheSameBits) {
  Spec spec = HashedSpec(5);
  spec.model.radius = 0.7;
  spec.model.lambda = 5;
  const Plan plan = MustPlan(spec);
  OnlineRun run = NewRun(plan);
  OnlineRun resumed = NewRun(plan);
  Dice dice(12);
  for (int t = 0; t < 30000; ++t) {
    const Example event =
        SparseEvent(dice, spec.model, dice.Below(8), 1, dice.Chance(0.5) ? 1 : -1);
    ASSERT_EQ(run.Learn(event).score, resumed.Learn(event).score) << t;
    ASSERT_EQ(run.squared_norm(), resumed.squared_norm()) << t;
    if (t % 97 != 0) continue;
    SavingArchive saving;
    saving(resumed);
    const std::string saved = saving.Take();
    resumed = NewRun(plan);
    LoadingArchive loading(saved);
    loading(resumed);
    ASSERT_TRUE(loading.complete());
  }
  EXPECT_EQ(run.model(), resumed.model());
}

// After a draw nothing is left but the drawn model: a run that comes to the same grid point on
// another way goes on with the same bits.
TEST(SparseRunTest, DrawLeavesNothingOfScaleAndNorm) {
  Spec spec = HashedSpec(4);
  spec.model.bias = false;
  spec.model.lambda = 1;
  spec.learning.eta = 0.44;
  const Plan plan = MustPlan(spec);
  // One run shrinks the weights of one event; the other learns nothing. The noise has so coarse a
  // grid that both round to 0.
  OnlineRun faded = NewRun(plan);
  OnlineRun blank = NewRun(plan);
  Dice dice(11);
  faded.Learn(SparseEvent(dice, spec.model, 5, 1, 1));
  blank.Skip();
  for (int t = 0; t < 60; ++t) {
    faded.Learn(Example{});
    blank.Skip();
  }
  ASSERT_GT(faded.squared_norm(), 0);
  proof::KeyedRandom random(5);
  const double sigma = 1;
  ASSERT_LT(std::sqrt(faded.squared_norm()), sigma * 0x1p-28);
  const Stream stream{Stream::Purpose::kNoise, ShardId{0}, 1};
  faded.Draw(sigma, random, stream);
  blank.Draw(sigma, random, stream);
  ASSERT_EQ(faded.model(), blank.model());
  for (int t = 0; t < 10000; ++t) {
    const Example event = SparseEvent(dice, spec.model, 3, 1, dice.Chance(0.5) ? 1 : -1);
    ASSERT_EQ(faded.Learn(event).score, blank.Learn(event).score) << t;
    ASSERT_EQ(faded.squared_norm(), blank.squared_norm()) << t;
  }
  EXPECT_EQ(faded.model(), blank.model());
}

TEST(SparseRunTest, DrawReachesEveryWeightAndEndsInTheBall) {
  const Plan plan = MustPlan(HashedSpec(10));
  OnlineRun run = NewRun(plan);
  proof::KeyedRandom random(6);
  for (const double sigma : {1e-3, 1.0, 1e6}) {
    run.Draw(sigma, random, {Stream::Purpose::kNoise, ShardId{0}, 1});
    EXPECT_TRUE((run.model().array() != 0).all());
    EXPECT_LE(ExactNorm(run.model()), plan.constants.radius);
  }
  // Noise far above the radius was cut back to it.
  EXPECT_NEAR(run.model().norm(), plan.constants.radius, 1e-12);
}

// What the ledger must assume of one step does not depend on how many weights there are, nor on how
// many features events really have.
TEST(SparseRunTest, RoundOffIsThatOfTheLongestAdmissibleEvent) {
  for (const std::int64_t bits : {4, 16}) {
    const Plan plan = MustPlan(HashedSpec(bits));
    const double eta = plan.schedule.Step(1);
    const double unit = (3 * 129 + 40) * 0x1p-53;  // blocks of 64, and 65 of them
    OnlineRun run = NewRun(plan);
    run.Learn(Example{});
    EXPECT_DOUBLE_EQ(run.ledger().RoundOff(),
                     2 * unit * (plan.constants.radius + eta * plan.constants.L));
    // Making the model dense rounds it once more before a draw.
    const double grid = GridShift(1e-3, plan.constants.radius, (1 << bits) + 1);
    EXPECT_GE(run.ExtraShift(1e-3) - run.ledger().RoundOff() - grid,
              2 * 0x1p-53 * plan.constants.radius);
  }
}

TEST(SparseModelTest, FoldingChangesNoBit) {
  Constants constants = MustPlan(HashedSpec(4)).constants;
  constants.radius = 3;
  Constants longer = constants;
  longer.L *= 0x1p90;  // folds earlier
  SparseModel model(constants, 16);
  SparseModel folded(longer, 16);
  Spec spec = HashedSpec(4);
  spec.model.bias = false;
  Dice dice(12);
  for (int t = 0; t < 3000; ++t) {
    const Example event = SparseEvent(dice, spec.model, 4, 1, 1);
    const double shrink = dice.Uniform(0.3, 1);
    const double push = dice.Normal();
    model.Step(shrink, push, event);
    folded.Step(shrink, push, event);
    ASSERT_EQ(model.Dense(), folded.Dense()) << t;
    ASSERT_EQ(model.squared_norm(), folded.squared_norm()) << t;
  }
}

TEST(SparseModelTest, TheCarriedNormDoesNotDrift) {
  Constants constants = MustPlan(HashedSpec(14)).constants;
  constants.radius = 1e6;
  SparseModel model(constants, 1 << 14);
  Spec spec = HashedSpec(14);
  spec.model.bias = false;
  Dice dice(13);
  // A large weight that comes and goes takes the digits of all others out of a plain sum.
  const Example large{Vector::Constant(1, 1), 1, {77}};
  double worst = 0;
  for (int t = 0; t < (1 << 14) - 1; ++t) {
    const Example event = SparseEvent(dice, spec.model, 20, 1e-3, 1);
    model.Step(1, 1e3 * (t % 2 == 0 ? 1 : -1), large);
    model.Step(1, dice.Normal(), event);
    if (t % 1024 == 1023) {
      const long double exact = ExactNorm(model.Dense());
      const long double error = std::abs(model.squared_norm() / (exact * exact) - 1);
      worst = std::max(worst, static_cast<double>(error));
    }
  }
  EXPECT_LE(worst, 4 * DBL_EPSILON);
}

// Equal products round in one direction, so that a plain sum of 4096 of them is off by hundreds of
// units; Terms counts on blocks of 64.
TEST(SparseModelTest, LongSumsRoundLikeShortOnes) {
  const Constants constants = MustPlan(HashedSpec(12)).constants;
  Example event{Vector::Constant(kMaxFeatures, 1.0 / 64), 1, {}};
  for (std::uint32_t i = 0; i < kMaxFeatures; ++i) event.at.push_back(i);
  Dice dice(14);
  double worst = 0;
  for (int t = 0; t < 200; ++t) {
    SparseModel model(constants, kMaxFeatures);
    model.Step(1, dice.Uniform(), event);
    const long double exact = static_cast<long double>(model.Dense()[0]) * kMaxFeatures / 64;
    const long double error = std::abs(model.Dot(event) / exact - 1);
    worst = std::max(worst, static_cast<double>(error / 0x1p-53));
  }
  EXPECT_LE(worst, 40);
  EXPECT_GE(worst, 4) << "this is no hard case";
}

}  // namespace
}  // namespace lethe::hashing_step_test
