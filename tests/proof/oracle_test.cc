#include <gtest/gtest.h>

#include "engine/learning/online_run.h"
#include "engine/learning/reset.h"
#include "engine/modes/registry.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_random.h"
#include "tests/support/reference_data.h"

// Modes against runs that never saw the deleted events.
namespace lethe::testing::oracle_test {
namespace {

// The constants of the kept numbers, which were computed without the slack for rounding.
Constants PlainConstants(double lambda, double radius) {
  return {.feature_norm = 1,
          .radius = radius,
          .G = 1,
          .L = 1 + lambda * radius,
          .beta = 0.25 + lambda,
          .mu = lambda};
}

Spec ReferenceSpec(const std::string& mode) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 20;
  spec.model.lambda = 0.05;
  spec.model.radius = 20;
  spec.learning.schedule = ScheduleKind::kInverseTime;
  spec.forgetting.mode = mode;
  spec.noise.source = NoiseKind::kDisabled;
  return spec;
}

// A mode on the reference stream, with plain constants.
class Oracle : public ::testing::Test {
 protected:
  void Start(const Spec& spec) {
    spec_ = spec;
    payloads_ = MemoryPayloads();
    const Constants constants = PlainConstants(spec.model.lambda, spec.model.radius);
    auto schedule = Schedule::Make(spec.learning, spec.forgetting.split, constants, 0.028, 20);
    const auto promise = Promise::FromBudget(spec.forgetting.budget);
    mode_ = FindMode(spec.forgetting.mode)
                ->make({.spec = spec_,
                        .constants = constants,
                        .schedule = schedule.value(),
                        .promise = promise.value(),
                        .shard = {0},
                        .random = random_,
                        .payloads = payloads_});
  }
  void LearnAll(const std::vector<Example>& data, std::size_t begin = 0) {
    for (std::size_t i = begin; i < data.size(); ++i) mode_->Learn(data[i]);
  }
  void Forget(std::int64_t begin, std::int64_t end) {
    std::vector<Target> batch;
    for (std::int64_t i = begin; i < end; ++i) batch.push_back({{i}, {}});
    mode_->Release(batch);
    ASSERT_TRUE(mode_->Forget(batch).ok());
  }

  Spec spec_ = PassiveSpec();
  MemoryPayloads payloads_;
  proof::KeyedRandom random_{1};
  std::unique_ptr<Unlearner> mode_;
};

struct Kept {
  int n;
  double ogd, norm, without_0, without_100, restarted, erm, erm_without_0, erm_without_100;
};

constexpr Kept kKept[] = {
    {1000, 0.219734220800, 0.794387971851, 0.219566999144, 0.214079524311, 0.163776000707,
     0.240606199823, 0.240171165917, 0.240188604691},
    {5000, 0.160856654998, 0.684308316122, 0.160834800011, 0.160059811959, 0.172287174501,
     0.167005776490, 0.166924626653, 0.165245066822},
    {20000, 0.160776449658, 0.692523818456, 0.160772560569, 0.160620039865, 0.165598132133,
     0.160931153053, 0.160910407155, 0.160430859845},
};

TEST_F(Oracle, OnlineDescentAndRetrainingReproduceTheKeptNumbers) {
  for (const Kept& kept : kKept) {
    const auto data = ReferenceData(1, kept.n, 20);
    Start(ReferenceSpec("retrain"));
    LearnAll(data);
    EXPECT_NEAR(mode_->model()[0], kept.ogd, 1e-9);
    EXPECT_NEAR(mode_->model().norm(), kept.norm, 1e-9);
    Forget(0, 1);
    EXPECT_NEAR(mode_->model()[0], kept.without_0, 1e-9);
    Forget(1, 100);
    EXPECT_NEAR(mode_->model()[0], kept.without_100, 1e-9);
  }
}

TEST_F(Oracle, RestartingHalfWayReproducesTheKeptNumbers) {
  for (const Kept& kept : kKept) {
    const auto data = ReferenceData(1, kept.n, 20);
    Start(ReferenceSpec("restart"));
    const std::size_t half = data.size() / 2;
    LearnAll({data.begin(), data.begin() + static_cast<std::ptrdiff_t>(half)});
    Forget(3, 4);
    LearnAll(data, half);
    EXPECT_NEAR(mode_->model()[0], kept.restarted, 1e-9);
  }
}

TEST_F(Oracle, ResetEndsAtTheKeptMinimisers) {
  for (const Kept& kept : kKept) {
    const auto data = ReferenceData(1, kept.n, 20);
    Start(ReferenceSpec("active"));
    LearnAll(data);
    const Constants constants = PlainConstants(0.05, 20);
    Vector z = mode_->model();
    const MeanCost cost(Loss(LossKind::kLogistic), constants, payloads_);
    ASSERT_TRUE(ResetTo(cost, constants, 1e-10, z).ok());
    EXPECT_NEAR(z[0], kept.erm, 1e-9);
    Forget(0, 1);
    EXPECT_NEAR(mode_->model()[0], kept.erm_without_0, 1e-8);
    Forget(1, 100);
    EXPECT_NEAR(mode_->model()[0], kept.erm_without_100, 1e-8);
  }
}

TEST_F(Oracle, RetrainEqualsAFreshRunWithoutTheEventsBitForBit) {
  proof::Dice dice(3);
  for (const ScheduleKind schedule :
       {ScheduleKind::kConstant, ScheduleKind::kInverseTime, ScheduleKind::kInverseSqrt}) {
    Spec spec = ReferenceSpec("retrain");
    spec.learning.schedule = schedule;
    Start(spec);
    const auto data = ReferenceData(4, 500, 20);
    OnlineRun never(
        Loss(LossKind::kLogistic), PlainConstants(0.05, 20),
        Schedule::Make(spec.learning, Split::kCurve, PlainConstants(0.05, 20), 0.028, 20).value(),
        20);
    std::vector<bool> deleted(data.size(), false);
    for (int i = 0; i < 50; ++i) deleted[static_cast<std::size_t>(dice.Below(400))] = true;
    for (std::size_t i = 0; i < data.size(); ++i) {
      mode_->Learn(data[i]);
      deleted[i] ? never.Skip() : static_cast<void>(never.Learn(data[i]));
      if (i == 450) {
        for (std::int64_t j = 0; j < 400; ++j) {
          if (deleted[static_cast<std::size_t>(j)]) Forget(j, j + 1);
        }
      }
    }
    EXPECT_EQ(mode_->model(), never.model());
  }
}

TEST_F(Oracle, ResetIsWithinItsDistanceOfTheMinimiserFromAnyStart) {
  const Constants constants = PlainConstants(0.05, 20);
  proof::Dice dice(5);
  double worst = 0;
  for (int problem = 0; problem < 60; ++problem) {
    MemoryPayloads payloads;
    const auto data =
        ReferenceData(static_cast<std::uint64_t>(100 + problem), 50 + 5 * problem, 20);
    for (std::size_t i = 0; i < data.size(); ++i) {
      payloads.Add({static_cast<std::int64_t>(i)}, data[i]);
    }
    const MeanCost cost(Loss(LossKind::kLogistic), constants, payloads);
    Vector best = Vector::Zero(20);
    ASSERT_TRUE(ResetTo(cost, constants, 1e-13, best).ok());
    for (int start = 0; start < 6; ++start) {
      Vector z = dice.Direction(20, 20);
      const double tolerance = 1e-6;
      ASSERT_TRUE(ResetTo(cost, constants, tolerance, z).ok());
      worst = std::max(worst, (z - best).norm() / (2 * tolerance / constants.mu));
    }
  }
  std::cout << "largest distance / (2 tolerance/mu): " << worst << "\n";
  EXPECT_LE(worst, 0.5 + 1e-6);
}

TEST_F(Oracle, WithAnUnlimitedBudgetEveryModeConvergesToItsNoiselessSelf) {
  for (const char* mode : {"passive", "active"}) {
    for (const ActiveVariant variant :
         {ActiveVariant::kSecondOrder, ActiveVariant::kLedger, ActiveVariant::kPaper}) {
      const auto data = ReferenceData(6, 400, 20);
      std::vector<Vector> models;
      for (const NoiseKind noise : {NoiseKind::kSeeded, NoiseKind::kDisabled}) {
        Spec spec = ReferenceSpec(mode);
        spec.forgetting.active.variant = variant;
        spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = 100, .rho = {}};
        spec.noise.source = noise;
        Start(spec);
        LearnAll(data);
        Forget(10, 12);
        models.push_back(mode_->model());
      }
      EXPECT_LT((models[0] - models[1]).norm(), 0.02) << mode;
    }
  }
}

TEST_F(Oracle, MoreDescentComesCloserToTheMinimiserWithoutTheEvents) {
  const auto data = ReferenceData(7, 1000, 20);
  double distance[2];
  int i = 0;
  for (const std::int64_t steps : {5, 200}) {
    Spec spec = ReferenceSpec("active");
    spec.forgetting.active.variant = ActiveVariant::kLedger;
    spec.forgetting.active.steps = steps;
    Start(spec);
    LearnAll(data);
    Forget(0, 100);
    const Constants constants = PlainConstants(0.05, 20);
    Vector best = mode_->model();
    const MeanCost cost(Loss(LossKind::kLogistic), constants, payloads_);
    ASSERT_TRUE(ResetTo(cost, constants, 1e-12, best).ok());
    distance[i++] = (mode_->model() - best).norm();
  }
  EXPECT_LT(distance[1], 1e-9);
  EXPECT_GT(distance[0], distance[1]);
}

}  // namespace
}  // namespace lethe::testing::oracle_test
