// Slopes and curvatures are those of the loss, and never pass the suprema that the bounds rest on.

#include "engine/spec/loss.h"

#include <cfloat>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/proof_random.h"

namespace lethe::loss_test {
namespace {

using proof::Dice;

struct Case {
  Loss loss;
  std::vector<double> labels;
};

const std::vector<Case> kCases = {
    {Loss(LossKind::kLogistic), {-1, 1}},
    {Loss(LossKind::kSquared), {-2, -0.3, 0, 1.7}},
    {Loss(LossKind::kHuber, 0.25), {-2, -0.3, 0, 1.7}},
    {Loss(LossKind::kHuber, 3), {-2, -0.3, 0, 1.7}},
};

TEST(LossTest, ExtremePredictionsStayFinite) {
  for (const double p : {-1e300, -1e5, -710.0, -0.0, 0.0, 710.0, 1e5, 1e300}) {
    for (const double y : {-1.0, 1.0}) {
      const Loss loss(LossKind::kLogistic);
      EXPECT_TRUE(std::isfinite(loss.Value(p, y))) << p;
      EXPECT_LE(std::abs(loss.Slope(p, y)), 1) << p;
      EXPECT_GE(loss.Curvature(p, y), 0) << p;
      EXPECT_LE(loss.Curvature(p, y), 0.25) << p;
    }
  }
}

TEST(LossTest, LogisticKeepsItsDigitsInBothTails) {
  const Loss loss(LossKind::kLogistic);
  for (const double m : {1e-8, 1.0, 40.0, 700.0}) {
    EXPECT_NEAR(loss.Value(m, 1), std::log1p(std::exp(-m)), 1e-15 * std::exp(-m));
    EXPECT_NEAR(loss.Value(-m, 1) - m, std::log1p(std::exp(-m)), 2 * DBL_EPSILON * (1 + m));
    EXPECT_NEAR(loss.Slope(m, 1) * (1 + std::exp(m)), -1, 1e-14) << m;
  }
}

TEST(LossTest, LogisticTreatsTheTwoLabelsAlike) {
  const Loss loss(LossKind::kLogistic);
  for (const double p : {0.0, 0.3, 5.0, 600.0}) {
    EXPECT_EQ(loss.Value(p, 1), loss.Value(-p, -1));
    EXPECT_EQ(loss.Slope(p, 1), -loss.Slope(-p, -1));
    EXPECT_EQ(loss.Curvature(p, 1), loss.Curvature(-p, -1));
  }
}

TEST(LossTest, SlopeAndCurvatureAreDerivatives) {
  Dice dice(1);
  for (const Case& c : kCases) {
    for (int i = 0; i < 1000; ++i) {
      const double y = c.labels[static_cast<std::size_t>(dice.Below(std::ssize(c.labels)))];
      const double p = dice.Uniform(-6, 6);
      const double h = 1e-5;
      const double slope = (c.loss.Value(p + h, y) - c.loss.Value(p - h, y)) / (2 * h);
      EXPECT_NEAR(c.loss.Slope(p, y), slope, 1e-5);
      // Huber's second derivative jumps where the residual is the width.
      if (c.loss.Curvature(p - h, y) != c.loss.Curvature(p + h, y) &&
          c.loss.kind() == LossKind::kHuber) {
        continue;
      }
      const double curvature = (c.loss.Slope(p + h, y) - c.loss.Slope(p - h, y)) / (2 * h);
      EXPECT_NEAR(c.loss.Curvature(p, y), curvature, 1e-5);
    }
  }
}

TEST(LossTest, SupremaHoldAndAreReached) {
  Dice dice(2);
  for (const Case& c : kCases) {
    const double label_bound = c.loss.is_classification() ? 1 : 2;
    const double prediction_bound = 6;
    const double max_slope = c.loss.MaxSlope(prediction_bound, label_bound);
    double slope = 0, curvature = 0;
    for (int i = 0; i < 20'000; ++i) {
      // Both ends and the middle are tried too.
      const double p = prediction_bound * (i < 3 ? i - 1 : dice.Uniform(-1, 1));
      for (const double y : c.labels) {
        slope = std::fmax(slope, std::abs(c.loss.Slope(p, y)));
        curvature = std::fmax(curvature, c.loss.Curvature(p, y));
        EXPECT_GE(c.loss.Curvature(p, y), 0);
      }
    }
    EXPECT_LE(slope, max_slope);
    EXPECT_LE(curvature, c.loss.MaxCurvature());
    EXPECT_GT(slope, 0.99 * max_slope);
    EXPECT_GT(curvature, 0.99 * c.loss.MaxCurvature());
  }
}

TEST(LossTest, HuberIsSquaredNearTheLabelAndLinearBeyondItsWidth) {
  const Loss huber(LossKind::kHuber, 0.5);
  const Loss squared(LossKind::kSquared);
  EXPECT_EQ(huber.Value(1.25, 1), squared.Value(1.25, 1));
  EXPECT_EQ(huber.Slope(1.25, 1), squared.Slope(1.25, 1));
  EXPECT_EQ(huber.Value(1.5, 1), 0.125);
  EXPECT_EQ(huber.Value(3, 1), 0.5 * (2 - 0.25));
  EXPECT_EQ(huber.Slope(3, 1), 0.5);
  EXPECT_EQ(huber.Slope(-3, 1), -0.5);
}

}  // namespace
}  // namespace lethe::loss_test
