// The softmax loss on K - 1 outputs: derivatives, suprema, and agreement with the logistic loss.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "engine/spec/constants.h"
#include "engine/spec/dimension.h"
#include "engine/spec/loss.h"
#include "tests/support/proof_random.h"

namespace lethe::softmax_loss_test {
namespace {

using proof::Dice;

ModelSpec Model(std::int64_t classes) {
  ModelSpec model;
  model.loss = LossKind::kSoftmax;
  model.dimension = 3;
  model.classes = classes;
  return model;
}

Vector ScoresOf(const Loss& loss, const Vector& u) {
  Vector scores(loss.scores());
  loss.Scores(u.data(), scores.data());
  return scores;
}

Vector GradientOf(const Loss& loss, const Vector& u, double y) {
  Vector g(loss.outputs());
  loss.Gradient(u.data(), y, g.data());
  return g;
}

// Q, column by column: the scores of unit vectors.
Eigen::MatrixXd Q(const Loss& loss) {
  Eigen::MatrixXd q(loss.scores(), loss.outputs());
  for (Eigen::Index j = 0; j < q.cols(); ++j) {
    q.col(j) = ScoresOf(loss, Vector::Unit(loss.outputs(), j));
  }
  return q;
}

TEST(SoftmaxLossTest, TheColumnsOfQAreOrthonormalAndSumToZero) {
  for (const std::int64_t classes : {2, 3, 10, 129}) {
    const Loss loss(Model(classes));
    ASSERT_EQ(loss.outputs(), classes - 1);
    const Eigen::MatrixXd q = Q(loss);
    EXPECT_LT((q.transpose() * q - Eigen::MatrixXd::Identity(q.cols(), q.cols())).norm(), 1e-13);
    EXPECT_LT(q.colwise().sum().norm(), 1e-13);
    // The comment on the round-off terms uses this bound.
    const Eigen::MatrixXd absolute = q.cwiseAbs();
    EXPECT_LE(absolute.norm() > 0 ? absolute.jacobiSvd().singularValues()[0] : 0, 3);
    const Vector r = Vector::Random(classes);
    Vector reduced(classes - 1);
    loss.Reduce(r.data(), reduced.data());
    EXPECT_LT((reduced - q.transpose() * r).norm(), 1e-13 * r.norm());
  }
}

TEST(SoftmaxLossTest, GradientsAreDerivativesAndKeepTheirBounds) {
  Dice dice(1);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t classes = 2 + dice.Below(9);
    const auto update = dice.Chance(0.5) ? UpdateKind::kSgd : UpdateKind::kAdagrad;
    const Loss loss(Model(classes), update);
    const auto y = static_cast<double>(dice.Below(classes));
    const Vector u = dice.Direction(loss.outputs(), dice.LogUniform(0.01, 100));
    const Vector g = GradientOf(loss, u, y);
    EXPECT_LE(g.norm(), loss.MaxSlope(0, 0) * (1 + 1e-12));
    const Vector direction = dice.Direction(loss.outputs(), 1);
    constexpr double kStep = 1e-5;
    const Vector up = u + kStep * direction;
    const Vector down = u - kStep * direction;
    const double slope = (loss.ValueOf(up.data(), y) - loss.ValueOf(down.data(), y)) / (2 * kStep);
    EXPECT_NEAR(g.dot(direction), slope, 1e-8 * (1 + u.norm()));
    const Vector bend = (GradientOf(loss, up, y) - GradientOf(loss, down, y)) / (2 * kStep);
    EXPECT_LE(bend.norm(), loss.MaxCurvature() + 1e-8);
  }
}

// A wrong G or beta would be caught: the bounds are attained.
TEST(SoftmaxLossTest, TheBoundsAreAttained) {
  const Loss loss(Model(5));
  Vector scores = Vector::Zero(5);
  scores[1] = 800;  // sure, and wrong
  const Vector u = Q(loss).transpose() * scores;
  EXPECT_NEAR(GradientOf(loss, u, 3).norm(), std::numbers::sqrt2, 1e-12);
  scores[2] = 800;  // two classes at equal odds, along their difference
  const Vector even = Q(loss).transpose() * scores;
  Vector axis = Vector::Zero(5);
  axis[1] = std::numbers::sqrt2 / 2;
  axis[2] = -axis[1];
  const Vector step = 1e-5 * (Q(loss).transpose() * axis);
  const Vector bend = (GradientOf(loss, even + step, 0) - GradientOf(loss, even - step, 0)) / 2e-5;
  EXPECT_NEAR(bend.norm(), 0.5, 1e-6);
}

// The difference of the two scores is sqrt 2 u, and class 0 is the logistic +1.
TEST(SoftmaxLossTest, TwoClassesAreTheLogisticLoss) {
  const Loss softmax(Model(2));
  const Loss logistic(LossKind::kLogistic);
  Dice dice(2);
  for (int i = 0; i < 1000; ++i) {
    const double u = dice.Uniform(-30, 30);
    const double p = std::numbers::sqrt2 * u;
    for (const double y : {0.0, 1.0}) {
      double g = 0;
      softmax.Gradient(&u, y, &g);
      EXPECT_NEAR(softmax.ValueOf(&u, y), logistic.Value(p, 1 - 2 * y), 1e-13 * (1 + std::abs(p)));
      EXPECT_NEAR(g, std::numbers::sqrt2 * logistic.Slope(p, 1 - 2 * y), 1e-14);
    }
  }
}

TEST(SoftmaxLossTest, ExtremeScoresStayFinite) {
  const Loss loss(Model(3));
  for (const double size : {1e3, 1e100, 1e300}) {
    const Vector u = Vector::Constant(2, size);
    EXPECT_TRUE(std::isfinite(loss.ValueOf(u.data(), 1)));
    EXPECT_TRUE(GradientOf(loss, u, 1).allFinite());
  }
}

TEST(SoftmaxLossTest, WithOneOutputTheGeneralFunctionsHaveTheSameBits) {
  for (const LossKind kind : {LossKind::kLogistic, LossKind::kSquared, LossKind::kHuber}) {
    const Loss loss(kind, 0.7);
    for (const double u : {-2.5, 0.1, 40.0}) {
      double g = 0;
      double score = 0;
      loss.Gradient(&u, 1, &g);
      loss.Scores(&u, &score);
      EXPECT_EQ(g, loss.Slope(u, 1));
      EXPECT_EQ(score, u);
      EXPECT_EQ(loss.ValueOf(&u, 1), loss.Value(u, 1));
    }
  }
}

TEST(SoftmaxConstantsTest, AreThoseOfTheGuarantee) {
  ModelSpec model = Model(7);
  model.feature_norm = 3;
  model.lambda = 0.25;
  const auto plain = Constants::Derive(model);
  ASSERT_TRUE(plain.ok());
  EXPECT_NEAR(plain.value().G, std::numbers::sqrt2 * 3, 1e-4);
  EXPECT_GE(plain.value().G, std::numbers::sqrt2 * 3);
  EXPECT_NEAR(plain.value().beta, 4.5 + 0.25, 1e-4);
  model.weight_bound = 8;
  const auto weighted = Constants::Derive(model);
  ASSERT_TRUE(weighted.ok());
  EXPECT_NEAR(weighted.value().G, 8 * plain.value().G, 1e-12);
  EXPECT_NEAR(weighted.value().beta, 8 * (plain.value().beta - 0.25) + 0.25, 1e-12);
  EXPECT_EQ(weighted.value().mu, 0.25);
}

TEST(DimensionTest, CountsWeightsAndRefusesTooMany) {
  Spec spec;
  spec.model = Model(10);
  spec.model.dimension = 784;
  spec.model.bias = true;
  EXPECT_EQ(InputDimension(spec), 785);
  EXPECT_EQ(ModelDimension(spec), 785 * 9);
  spec.learning.update = UpdateKind::kAdagrad;
  EXPECT_EQ(ModelDimension(spec), 7850);
  EXPECT_TRUE(CheckDimension(spec).ok());
  spec.model.dimension = 1'000'000;
  spec.model.classes = 100;
  EXPECT_EQ(
      CheckDimension(spec).message(),
      "model: 1000001 features with 100 outputs each are 100000100 weights; at most 67108864. "
      "Use fewer features (hash_bits) or fewer classes");
}

TEST(DimensionTest, RefusesClassesThatAreNone) {
  Spec spec;
  spec.model = Model(1);
  EXPECT_NE(CheckDimension(spec).message().find("at least 2 classes"), std::string::npos);
  spec.model = Model(2);
  spec.model.class_names = {"cat", "cat"};
  EXPECT_NE(CheckDimension(spec).message().find("same name"), std::string::npos);
  spec.model.class_names = {"cat", ""};
  EXPECT_NE(CheckDimension(spec).message().find("is empty"), std::string::npos);
  spec.model = Model(3);
  spec.model.loss = LossKind::kLogistic;
  EXPECT_NE(CheckDimension(spec).message().find("has one output"), std::string::npos);
}

}  // namespace
}  // namespace lethe::softmax_loss_test
