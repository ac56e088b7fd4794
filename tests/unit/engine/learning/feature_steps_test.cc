// Steps per feature: each rule against its formula, computed in the simplest way, and the
// properties that its name promises.

#include "engine/learning/feature_steps.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/base/archive.h"
#include "engine/learning/invariant_step.h"
#include "tests/support/proof_random.h"

namespace lethe::feature_steps_test {
namespace {

using proof::Dice;

constexpr UpdateKind kRules[] = {UpdateKind::kAdagrad, UpdateKind::kFtrl, UpdateKind::kNormalised};
constexpr LossKind kLosses[] = {LossKind::kLogistic, LossKind::kSquared, LossKind::kHuber};

Example DenseEvent(Dice& dice, Eigen::Index features) {
  Example example{.x = dice.Direction(features, 0.2 + dice.Uniform()),
                  .y = dice.Chance(0.5) ? 1.0 : -1.0};
  for (double& x : example.x) {
    if (dice.Chance(0.3)) x = 0;
  }
  return example;
}

// The same event for a hashed model: zeros are left out.
Example Sparse(const Example& dense) {
  Example sparse{.x = Vector(dense.x.size()), .y = dense.y, .w = dense.w};
  Eigen::Index count = 0;
  for (Eigen::Index i = 0; i < dense.x.size(); ++i) {
    if (dense.x[i] == 0) continue;
    sparse.at.push_back(static_cast<std::uint32_t>(i));
    sparse.x[count++] = dense.x[i];
  }
  sparse.x.conservativeResize(count);
  return sparse;
}

Loss Softmax(std::int64_t classes) {
  ModelSpec model;
  model.loss = LossKind::kSoftmax;
  model.classes = classes;
  return Loss(model, UpdateKind::kAdagrad);
}

std::string State(const FeatureSteps& model) {
  SavingArchive archive;
  archive(model);
  return archive.Take();
}

TEST(FeatureStepsTest, AdagradFollowsItsFormula) {
  const Loss loss(LossKind::kLogistic);
  FeatureSteps model(loss, {UpdateKind::kAdagrad, 0.3, 0.02}, 6, false);
  Vector z = Vector::Zero(6), sums = Vector::Zero(6);
  Dice dice(1);
  for (int t = 0; t < 500; ++t) {
    const Example event = DenseEvent(dice, 6);
    const double slope = loss.Slope(z.dot(event.x), event.y);
    EXPECT_NEAR(model.Learn(event).score, z.dot(event.x), 1e-6);  // steps have seven digits
    for (int i = 0; i < 6; ++i) {
      if (event.x[i] == 0) continue;
      const double g = slope * event.x[i];
      sums[i] += g * g;
      const double step = 0.3 / std::sqrt(sums[i] + 0.006 * 0.006);
      z[i] -= step * (g + 0.02 * z[i]);
    }
  }
  EXPECT_LT((model.weights() - z).norm(), 1e-6);
}

// The first gradients of a feature may be tiny, and lambda large.
TEST(FeatureStepsTest, NoStepOfAdagradPassesTheMinimumOfTheRegulariser) {
  for (const double lambda : {1e-12, 1e-3, 1e3}) {
    for (const double x : {1e-300, 1e-20, 1e-5, 1.0}) {
      FeatureSteps model(Loss(LossKind::kSquared), {UpdateKind::kAdagrad, 3, lambda}, 1, false);
      model.Set(Vector::Constant(1, 0.25));
      for (int t = 0; t < 50; ++t) {
        const double before = model.weights()[0];
        model.Learn({.x = Vector::Constant(1, x), .y = before * x + 1e-30});
        const double after = model.weights()[0];
        // The gradient is nearly 0, so the step is that of the regulariser.
        EXPECT_GE(after, -1e-7) << lambda << " " << x;
        EXPECT_LE(after, before + 1e-7) << lambda << " " << x;
      }
    }
  }
}

// After t events FTRL-Proximal has the minimiser of <sum g, w> + sum of sigma |w - w_s|^2 / 2 +
// lambda |w|^2 / 2 + |w|^2 / (2 eta), with sigma the growth of sqrt(sum of squares) / eta.
TEST(FeatureStepsTest, FtrlMinimisesItsObjective) {
  const Loss loss(LossKind::kSquared);
  FeatureSteps model(loss, {UpdateKind::kFtrl, 0.4, 0.1}, 4, false);
  Vector gradients = Vector::Zero(4), centres = Vector::Zero(4), sums = Vector::Zero(4);
  Dice dice(2);
  for (int t = 0; t < 300; ++t) {
    const Example event = DenseEvent(dice, 4);
    const Vector before = model.weights();
    const double slope = loss.Slope(before.dot(event.x), event.y);
    model.Learn(event);
    for (int i = 0; i < 4; ++i) {
      const double g = slope * event.x[i];
      const double sigma = (std::sqrt(sums[i] + g * g) - std::sqrt(sums[i])) / 0.4;
      sums[i] += g * g;
      gradients[i] += g;
      centres[i] += sigma * before[i];
      const double curvature = (1 + std::sqrt(sums[i])) / 0.4 + 0.1;
      ASSERT_NEAR(model.weights()[i], (centres[i] - gradients[i]) / curvature, 1e-9);
    }
  }
}

TEST(FeatureStepsTest, ASparseModelIsTheDenseOne) {
  for (const UpdateKind rule : kRules) {
    for (const LossKind kind : kLosses) {
      const Loss loss(kind);
      FeatureSteps dense(loss, {rule, 0.3, 0.01}, 9, false);
      FeatureSteps sparse(loss, {rule, 0.3, 0.01}, 9, true);
      Dice dice(3);
      for (int t = 0; t < 400; ++t) {
        Example event = DenseEvent(dice, 9);
        event.w = dice.Chance(0.2) ? 3 * dice.Uniform() : 1;
        dense.Learn(event);
        sparse.Learn(Sparse(event));
      }
      EXPECT_LT((dense.weights() - sparse.weights()).norm(), 1e-9) << Name(rule) << Name(kind);
      EXPECT_NEAR(sparse.squared_norm(), dense.squared_norm(), 1e-9);
      EXPECT_GT(dense.squared_norm(), 0.01);
    }
  }
}

TEST(FeatureStepsTest, SoftmaxLearnsEachClass) {
  for (const UpdateKind rule : kRules) {
    const Loss loss = Softmax(3);
    FeatureSteps dense(loss, {rule, 0.5, 1e-4}, 3, false);
    FeatureSteps sparse(loss, {rule, 0.5, 1e-4}, 3, true);
    Dice dice(4);
    int right = 0;
    for (int t = 0; t < 1000; ++t) {
      Example event{.x = Vector::Zero(3), .y = static_cast<double>(dice.Below(3))};
      event.x[static_cast<Eigen::Index>(event.y)] = 1;
      const auto scores = dense.Learn(event).scores;
      ASSERT_EQ(scores.size(), 3u);
      right += std::max_element(scores.begin(), scores.end()) - scores.begin() == event.y;
      sparse.Learn(Sparse(event));
    }
    EXPECT_GT(right, 980) << Name(rule);
    EXPECT_LT((dense.weights() - sparse.weights()).norm(), 1e-9) << Name(rule);
  }
}

// Other units of the features give other weights, and the same predictions, bit for bit.
TEST(FeatureStepsTest, NormalisedStepsDoNotDependOnTheUnitsOfFeatures) {
  for (const LossKind kind : kLosses) {
    FeatureSteps model(Loss(kind), {UpdateKind::kNormalised, 0.5, 0}, 5, false);
    FeatureSteps other(Loss(kind), {UpdateKind::kNormalised, 0.5, 0}, 5, false);
    Dice dice(5);
    for (int t = 0; t < 500; ++t) {
      Example event = DenseEvent(dice, 5);
      const double prediction = model.Learn(event).score;
      for (int i = 0; i < 5; ++i) event.x[i] = std::ldexp(event.x[i], 7 * i - 20);
      ASSERT_EQ(other.Learn(event).score, prediction) << Name(kind) << ", event " << t;
    }
  }
}

TEST(InvariantMoveTest, TwoStepsAreOneOfTheirSum) {
  for (const LossKind kind : {LossKind::kLogistic, LossKind::kSquared}) {
    const Loss loss(kind);
    for (const double p : {-5.0, -0.3, 0.0, 0.8, 3.0}) {
      for (const double reach : {1e-3, 0.1, 1.0, 20.0}) {
        const double first = InvariantMove(loss, p, 1, reach);
        const double second = InvariantMove(loss, p + first, 1, 2 * reach);
        EXPECT_NEAR(first + second, InvariantMove(loss, p, 1, 3 * reach), 1e-3)
            << Name(kind) << p << " " << reach;
      }
    }
  }
}

TEST(InvariantMoveTest, ShortMovesFollowTheSlopeAndLongOnesStopAtTheLabel) {
  for (const LossKind kind : kLosses) {
    const Loss loss(kind);
    for (const double p : {-40.0, -3.0, 0.5, 0.999, 2.0, 40.0}) {
      const double slope = loss.Slope(p, 1);
      EXPECT_NEAR(InvariantMove(loss, p, 1, 1e-4), -1e-4 * slope, 1e-7 * std::abs(slope));
      const double far = InvariantMove(loss, p, 1, 1e9);
      EXPECT_TRUE(std::isfinite(far));
      if (kind != LossKind::kLogistic) {
        EXPECT_LE(std::abs(far), std::abs(p - 1) * (1 + 1e-12));
      } else {
        EXPECT_GE(far, 0);
        EXPECT_LE(far, 61);
      }
    }
  }
}

TEST(FeatureStepsTest, AnEventOfWeightZeroChangesNothing) {
  for (const UpdateKind rule : kRules) {
    FeatureSteps model(Loss(LossKind::kLogistic), {rule, 0.5, 0.1}, 4, false);
    Dice dice(6);
    for (int t = 0; t < 20; ++t) model.Learn(DenseEvent(dice, 4));
    const std::string before = State(model);
    Example event = DenseEvent(dice, 4);
    event.x *= 100;
    event.w = 0;
    model.Learn(event);
    EXPECT_EQ(State(model), before) << Name(rule);
  }
}

TEST(FeatureStepsTest, FeaturesThatAnEventDoesNotHaveStayAsTheyAre) {
  for (const UpdateKind rule : kRules) {
    for (const bool is_sparse : {false, true}) {
      FeatureSteps model(Loss(LossKind::kLogistic), {rule, 0.5, 0.5}, 6, is_sparse);
      Dice dice(7);
      for (int t = 0; t < 50; ++t) {
        Example event = DenseEvent(dice, 6);
        const Vector before = model.weights();
        model.Learn(is_sparse ? Sparse(event) : event);
        for (int i = 0; i < 6; ++i) {
          if (event.x[i] != 0) continue;
          ASSERT_EQ(model.weights()[i], before[i]) << Name(rule);
        }
      }
    }
  }
}

TEST(FeatureStepsTest, ALoadedModelContinuesWithTheSameBits) {
  for (const UpdateKind rule : kRules) {
    for (const bool is_sparse : {false, true}) {
      const FeatureSteps empty(Loss(LossKind::kHuber), {rule, 0.5, 0.01}, 6, is_sparse);
      FeatureSteps model = empty;
      Dice dice(8);
      const auto next = [&] {
        const Example event = DenseEvent(dice, 6);
        return is_sparse ? Sparse(event) : event;
      };
      for (int t = 0; t < 50; ++t) model.Learn(next());
      FeatureSteps loaded = empty;
      const std::string bytes = State(model);
      LoadingArchive archive(bytes);
      archive(loaded);
      ASSERT_TRUE(archive.complete() && loaded.fits());
      for (int t = 0; t < 50; ++t) {
        const Example event = next();
        model.Learn(event);
        loaded.Learn(event);
      }
      EXPECT_EQ(State(loaded), State(model)) << Name(rule);
    }
  }
}

}  // namespace
}  // namespace lethe::feature_steps_test
