#include "engine/learning/mean_cost.h"

#include <cmath>

#include <gtest/gtest.h>

#include "state/payloads/memory_payloads.h"
#include "tests/support/proof_random.h"

namespace lethe::mean_cost_test {
namespace {

using proof::Dice;
using Real = long double;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

constexpr LossKind kLosses[] = {LossKind::kLogistic, LossKind::kSquared, LossKind::kHuber};

// In units of 2^-53 of the largest slope; Slope itself is the scalar reference, which is good to a
// few of them.
TEST(LossTest, SlopesOfManyAreWithinTheirBound) {
  Dice dice(31);
  for (const LossKind kind : kLosses) {
    const Loss loss(kind, 0.7);
    for (int run = 0; run < 2000; ++run) {
      Loss::Many y, p;
      for (double& value : y) value = dice.Chance(0.5) ? 1 : -1;
      for (double& value : p) value = dice.LogUniform(1e-12, 900) * (dice.Chance(0.5) ? 1 : -1);
      Loss::Many slopes = p;
      loss.Slopes(y, slopes);
      for (int i = 0; i < Loss::kMany; ++i) {
        const Real m = static_cast<Real>(y[i]) * p[i];
        const Real exact = kind == LossKind::kLogistic ? -y[i] / (1 + std::exp(m))
                                                       : static_cast<Real>(loss.Slope(p[i], y[i]));
        const Real largest = std::max<Real>(1, std::abs(exact));
        ASSERT_LE(std::abs(slopes[i] - exact), 16 * 0x1p-53L * largest) << p[i] << " " << y[i];
      }
    }
  }
}

struct Setting {
  explicit Setting(LossKind kind, std::int64_t dimension) : loss(kind, 0.7) {
    model.loss = kind;
    model.dimension = dimension;
    model.huber_width = 0.7;
    model.label_bound = 1;
    constants = Constants::Derive(model).value();
  }

  RealVector ExactGradient(const Vector& z) const {
    RealVector sum = RealVector::Zero(z.size());
    payloads.ForEach([&](EventIndex, const Example& example) {
      const RealVector x = example.x.cast<Real>();
      const Real p = x.dot(z.cast<Real>());
      Real slope = p - static_cast<Real>(example.y);
      if (model.loss == LossKind::kLogistic) slope = -example.y / (1 + std::exp(example.y * p));
      if (model.loss == LossKind::kHuber) {
        slope = std::min<Real>(std::max<Real>(slope, -0.7), 0.7);
      }
      sum += slope * x;
    });
    return sum / static_cast<Real>(payloads.count()) +
           static_cast<Real>(constants.mu) * z.cast<Real>();
  }

  ModelSpec model;
  Loss loss;
  Constants constants;
  MemoryPayloads payloads;
};

TEST(MeanCostTest, GradientIsWithinItsRoundingWhateverWasRemoved) {
  Dice dice(32);
  for (const LossKind kind : kLosses) {
    for (int run = 0; run < 40; ++run) {
      Setting s(kind, 1 + dice.Below(20));
      const auto n = static_cast<std::int64_t>(dice.LogUniform(1, 4000));
      for (std::int64_t i = 0; i < n; ++i) {
        s.payloads.Add({i}, {dice.Direction(s.model.dimension, s.model.feature_norm * 0.999),
                             dice.Chance(0.5) ? 1.0 : -1.0});
      }
      const double removed = dice.Uniform();
      for (std::int64_t i = 1; i < n; ++i) {
        if (dice.Chance(removed)) s.payloads.Remove({i});
      }
      const MeanCost cost(s.loss, s.constants, s.payloads);
      const Vector z = dice.Direction(s.model.dimension, s.model.radius * dice.Uniform());
      const Real error = (cost.Gradient(z).cast<Real>() - s.ExactGradient(z)).norm();
      ASSERT_LE(error, MeanCost::GradientRounding(s.constants, cost.count(), z.size())) << run;
    }
  }
}

TEST(MeanCostTest, GradientAndHessianAreDerivatives) {
  Dice dice(33);
  for (const LossKind kind : {LossKind::kLogistic, LossKind::kSquared}) {
    Setting s(kind, 5);
    for (std::int64_t i = 0; i < 700; ++i) {
      s.payloads.Add({i}, {dice.Direction(5, 0.9), dice.Chance(0.5) ? 1.0 : -1.0});
    }
    const MeanCost cost(s.loss, s.constants, s.payloads);
    const Vector z = dice.Direction(5, 1);
    const double h = 1e-5;
    for (Eigen::Index j = 0; j < 5; ++j) {
      const Vector up = z + h * Vector::Unit(5, j), down = z - h * Vector::Unit(5, j);
      EXPECT_NEAR(cost.Gradient(z)[j], (cost.Value(up) - cost.Value(down)) / (2 * h), 1e-9);
      const Vector column = (cost.Gradient(up) - cost.Gradient(down)) / (2 * h);
      EXPECT_LE((cost.Hessian(z).col(j) - column).norm(), 1e-8);
    }
  }
}

TEST(MeanCostTest, WithoutEventsOnlyTheRegulariserIsLeft) {
  Setting s(LossKind::kLogistic, 3);
  const MeanCost cost(s.loss, s.constants, s.payloads);
  const Vector z = Vector::Ones(3);
  EXPECT_EQ(cost.Gradient(z), s.constants.mu * z);
  EXPECT_EQ(cost.Value(z), s.constants.mu / 2 * 3);
}

}  // namespace
}  // namespace lethe::mean_cost_test
