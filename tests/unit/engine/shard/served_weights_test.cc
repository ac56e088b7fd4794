// What leaves the engine predicts what the engine predicts.

#include "engine/shard/served_weights.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/proof_random.h"

namespace lethe::served_weights_test {
namespace {

using proof::Dice;

ModelSpec Softmax(std::int64_t classes) {
  ModelSpec model;
  model.loss = LossKind::kSoftmax;
  model.classes = classes;
  return model;
}

TEST(ServedWeightsTest, AModelWithOneOutputIsServedAsItIs) {
  const Vector model{{0.1, -0.7, 1e-300, -0.0}};
  for (const LossKind kind : {LossKind::kLogistic, LossKind::kSquared, LossKind::kHuber}) {
    const Vector served = ServedWeights(Loss(kind), model);
    ASSERT_EQ(served.size(), model.size());
    for (Eigen::Index i = 0; i < model.size(); ++i) EXPECT_EQ(served[i], model[i]);
  }
}

TEST(ServedWeightsTest, TheScoresAreThoseOfTheEngine) {
  Dice dice(3);
  for (const std::int64_t classes : {2, 3, 10, 26}) {
    const Loss loss(Softmax(classes), UpdateKind::kSgd);
    ASSERT_EQ(loss.outputs(), classes - 1);
    const Eigen::Index features = 7;
    const Vector model = dice.Direction(features * loss.outputs(), 5);
    const Vector served = ServedWeights(loss, model);
    ASSERT_EQ(served.size(), features * classes);
    const Vector x = dice.Direction(features, 1);
    Vector outputs = Vector::Zero(loss.outputs());
    Vector found = Vector::Zero(classes);
    for (Eigen::Index i = 0; i < features; ++i) {
      outputs += x[i] * model.segment(i * loss.outputs(), loss.outputs());
      found += x[i] * served.segment(i * classes, classes);
      EXPECT_NEAR(served.segment(i * classes, classes).sum(), 0, 1e-14);
    }
    Vector expected(classes);
    loss.Scores(outputs.data(), expected.data());
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-14) << classes;
    EXPECT_GT(expected.cwiseAbs().maxCoeff(), 1e-3);
  }
}

TEST(ServedWeightsTest, NoZeroHasASign) {
  for (const UpdateKind update : {UpdateKind::kSgd, UpdateKind::kAdagrad}) {
    for (const double zero : {0.0, -0.0}) {
      const Loss loss(Softmax(4), update);
      const Vector served = ServedWeights(loss, Vector::Constant(3 * loss.outputs(), zero));
      for (const double weight : served) EXPECT_FALSE(std::signbit(weight));
    }
  }
}

TEST(ServedWeightsTest, AModelOfTheScoresThemselvesIsServedAsItIs) {
  const Loss loss(Softmax(3), UpdateKind::kAdagrad);
  const Vector model{{1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(ServedWeights(loss, model), model);
}

}  // namespace
}  // namespace lethe::served_weights_test
