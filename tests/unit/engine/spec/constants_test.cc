// The constants behind every bound, against the formulas in extended precision and by trying.

#include "engine/spec/constants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/admission/event_validator.h"
#include "engine/privacy/noise.h"
#include "engine/spec/loss.h"
#include "tests/support/proof_random.h"

namespace lethe::constants_test {
namespace {

using proof::Dice;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ModelSpec Model(LossKind loss, bool bias = false) {
  ModelSpec model;
  model.loss = loss;
  model.dimension = 3;
  model.bias = bias;
  model.feature_norm = 1.5;
  model.label_bound = 2;
  model.huber_width = 0.7;
  model.lambda = 0.01;
  model.radius = 12;
  return model;
}

TEST(ConstantsTest, NumbersThatLeaveNoFiniteModelAreRefused) {
  for (const double bad : {0.0, -1.0, kInf, -kInf, kNan, 1e-310, 1e200}) {
    for (double ModelSpec::*key :
         {&ModelSpec::feature_norm, &ModelSpec::lambda, &ModelSpec::radius}) {
      ModelSpec model = Model(LossKind::kSquared);
      model.*key = bad;
      EXPECT_EQ(Constants::Derive(model).status().code(), ErrorCode::kConfig) << bad;
    }
  }
  for (const double bad : {kInf, kNan, -1e6}) {
    ModelSpec model = Model(LossKind::kSquared);
    model.label_bound = bad;
    EXPECT_FALSE(Constants::Derive(model).ok()) << bad;
  }
  for (const double bad : {0.0, -1.0, kInf, kNan}) {
    ModelSpec model = Model(LossKind::kHuber);
    model.huber_width = bad;
    EXPECT_FALSE(Constants::Derive(model).ok()) << bad;
  }
}

// Below 1e-162 a square is 0: the validator, which compares roots of squares, would let anything
// pass.
TEST(ConstantsTest, ScalesWhoseSquaresCannotBeComputedAreRefusedByName) {
  struct Key {
    double ModelSpec::*at;
    const char* name;
  };
  for (const Key key :
       {Key{&ModelSpec::feature_norm, "model.feature_norm"},
        Key{&ModelSpec::radius, "model.radius"}, Key{&ModelSpec::lambda, "model.lambda"},
        Key{&ModelSpec::label_bound, "model.label_bound"},
        Key{&ModelSpec::huber_width, "model.huber_width"}}) {
    for (const double bad : {1e-300, 1e-200, 1e-162, 1e-100, 1e-31, 1e31, 1e100, 1e160}) {
      ModelSpec model = Model(LossKind::kHuber);
      model.*key.at = bad;
      const Status refused = Constants::Derive(model).status();
      EXPECT_EQ(refused.code(), ErrorCode::kConfig) << key.name << " " << bad;
      EXPECT_NE(refused.message().find(key.name), std::string::npos) << refused.message();
    }
  }
  // Each alone is a scale, together they are not.
  ModelSpec model = Model(LossKind::kHuber);
  model.feature_norm = model.huber_width = 1e-20;
  EXPECT_FALSE(Constants::Derive(model).ok());
  // What the loss does not use is not looked at.
  model = Model(LossKind::kLogistic);
  model.label_bound = model.huber_width = 1e-200;
  EXPECT_TRUE(Constants::Derive(model).ok());
}

// Whatever scale is accepted, the validator refuses what is five times as large.
TEST(ConstantsTest, TheValidatorHoldsAtEveryScaleThatIsAccepted) {
  for (int exponent = -320; exponent <= 300; ++exponent) {
    ModelSpec model = Model(LossKind::kLogistic);
    model.feature_norm = std::pow(10.0, exponent);
    if (!Constants::Derive(model).ok()) continue;
    EXPECT_GE(exponent, -30);
    Event event;
    event.x = {5 * model.feature_norm, 0, 0};
    event.y = 1;
    Example example;
    EXPECT_TRUE(EventValidator(model).Admit(event, example).has_value()) << model.feature_norm;
  }
}

TEST(ConstantsTest, EveryConstantIsItsFormulaRoundedUp) {
  using Real = long double;
  for (const LossKind kind : {LossKind::kLogistic, LossKind::kSquared, LossKind::kHuber}) {
    for (const bool bias : {false, true}) {
      const ModelSpec m = Model(kind, bias);
      const Constants c = Constants::Derive(m).value();
      const Real slack = m.feature_norm * (1 + 0x1p-20L);
      const Real norm = bias ? std::sqrt(slack * slack + 1) : slack;
      const Real slope = kind == LossKind::kLogistic  ? 1
                         : kind == LossKind::kSquared ? m.radius * norm + m.label_bound
                                                      : m.huber_width;
      const Real curvature = kind == LossKind::kLogistic ? 0.25 : 1;
      const std::vector<std::pair<double, Real>> pairs = {
          {c.feature_norm, norm},
          {c.G, norm * slope},
          {c.L, norm * slope + static_cast<Real>(m.lambda) * m.radius},
          {c.beta, norm * norm * curvature + m.lambda}};
      for (const auto& [computed, exact] : pairs) {
        EXPECT_GE(computed, exact) << Name(kind) << bias;
        EXPECT_LT(computed, exact * (1 + 1e-13)) << Name(kind) << bias;
      }
      EXPECT_EQ(c.mu, m.lambda);
      EXPECT_EQ(c.radius, m.radius);
      EXPECT_EQ(c.diameter(), 24);
      EXPECT_LT(c.max_step(), 2 / (static_cast<Real>(c.beta) + c.mu));
    }
  }
}

TEST(ConstantsTest, FeatureBoundCoversFloat32Payloads) {
  const Constants c = Constants::Derive(Model(LossKind::kLogistic)).value();
  EXPECT_GT(c.feature_norm, 1.5 * (1 + 0x1p-24));
  EXPECT_LT(c.feature_norm, 1.5 * (1 + 0x1p-19));
}

TEST(ConstantsTest, ContractionIsRoundedUpAndBelowOneUpToTheCap) {
  Dice dice(3);
  for (int i = 0; i < 100'000; ++i) {
    ModelSpec model = Model(LossKind::kLogistic);
    model.lambda = dice.LogUniform(1e-6, 10);
    const Constants c = Constants::Derive(model).value();
    const double eta = i % 10 == 0 ? c.max_step() : c.max_step() * dice.LogUniform(1e-6, 1);
    const long double exact = std::max(std::abs(1 - static_cast<long double>(eta) * c.mu),
                                       std::abs(1 - static_cast<long double>(eta) * c.beta));
    EXPECT_GE(Contraction(c, eta), exact) << model.lambda << " " << eta;
    EXPECT_LT(Contraction(c, eta) - exact, 1e-15);
    EXPECT_LT(Contraction(c, eta), 1);
  }
}

TEST(ConstantsTest, StepsAboveTheCapExpand) {
  const Constants c = Constants::Derive(Model(LossKind::kSquared)).value();
  EXPECT_GT(Contraction(c, 2.001 / c.beta), 1);
}

// What the ledger counts on, tried on random pairs of models: a step is a contraction, and a blank
// one differs by at most eta L.
TEST(ConstantsTest, StepsContractAndMoveByNoMoreThanTheBounds) {
  Dice dice(4);
  double worst_contraction = 0, worst_move = 0;
  for (int i = 0; i < 20'000; ++i) {
    ModelSpec model = Model(static_cast<LossKind>(dice.Below(3)));
    model.lambda = dice.LogUniform(1e-3, 3);
    model.radius = dice.LogUniform(0.1, 5);
    const Constants c = Constants::Derive(model).value();
    const Loss loss(model.loss, model.huber_width);
    const double eta = c.max_step() * (dice.Chance(0.3) ? 1 : dice.Uniform());
    const Vector x =
        dice.Direction(3, model.feature_norm * (dice.Chance(0.5) ? 1 : dice.Uniform()));
    const double y = loss.is_classification() ? (dice.Chance(0.5) ? 1 : -1)
                                              : model.label_bound * dice.Uniform(-1, 1);
    const auto step = [&](const Vector& z) {
      Vector next = z - eta * (loss.Slope(z.dot(x), y) * x + c.mu * z);
      Project(next, c.radius);
      return next;
    };
    const Vector a = dice.Direction(3, c.radius * dice.Uniform());
    const Vector b = dice.Chance(0.5) ? Vector(a + 1e-3 * x) : dice.Direction(3, c.radius);
    const double shrunk = (step(a) - step(b)).norm() / (a - b).norm() / Contraction(c, eta);
    const double moved = (step(a) - a).norm() / (eta * c.L);
    if (b.norm() <= c.radius) worst_contraction = std::max(worst_contraction, shrunk);
    worst_move = std::max(worst_move, moved);
  }
  EXPECT_LE(worst_contraction, 1 + 1e-9);
  EXPECT_LE(worst_move, 1 + 1e-12);
  EXPECT_GT(worst_contraction, 0.99);
  EXPECT_GT(worst_move, 0.9);
}

}  // namespace
}  // namespace lethe::constants_test
