// Descent-to-delete on quadratics and linear losses, where everything has a closed form: how much
// of what is claimed is used, and what happens when more than half of the data is deleted.
#include <algorithm>
#include <cmath>
#include <span>

#include "engine/learning/mean_cost.h"
#include "engine/learning/reset.h"
#include "engine/modes/papers/d2d.h"
#include "engine/spec/accountant.h"
#include "tests/support/d2d_reference.h"
#include "tests/support/proof_gaussian.h"

namespace lethe::testing::d2d_worst_cases_test {
namespace {

double EpsilonOf(double share_of_shift) {
  return EpsilonOfMu(share_of_shift * d2d::AllowedRatio(kEpsilon, kDelta), kDelta);
}

class D2dWorstCases : public ModeFixture {};

// Ridge regression, thirty deletions: hardly anything of the paper's shift is used.
TEST_F(D2dWorstCases, RandomRidgeUsesTheKeptShares) {
  struct Kept {
    std::int64_t steps;
    double share;
  };
  const auto data = RidgeData();
  for (const Kept& kept : {Kept{3, 0.005}, {10, 0.008}, {40, 0.003}}) {
    const auto spec = [&](std::int64_t warmup) {
      Spec ridge = D2dSpec("d2d_strong", Calibration::kPaper, warmup, kept.steps);
      ridge.model.loss = LossKind::kSquared;
      ridge.model.dimension = 10;
      return ridge;
    };
    Start(spec(200), kRidge);
    Learn(data);
    std::vector<Vector> unlearned;
    double sigma = 0;
    for (std::int64_t i = 0; i < 30; ++i) {
      sigma = Forget(i, i + 1).sigma;
      unlearned.push_back(mode_->model());
    }
    double worst = 0;
    for (std::size_t i = 0; i < unlearned.size(); ++i) {
      Start(spec(static_cast<std::int64_t>(199 - i)), kRidge);
      Learn(data, i + 1, data.size());
      worst = std::max(worst, (unlearned[i] - mode_->model()).norm());
    }
    const double share = worst / (sigma * d2d::AllowedRatio(kEpsilon, kDelta));
    EXPECT_NEAR(share, kept.share, 5e-4);
    EXPECT_LE(EpsilonOf(share), 0.0045);
  }
}

// Points that are deleted are alone in their direction, with labels far beyond the ball; training
// begins at its other end. Along that direction: the share of the shift that is used.
double AdversarialRidge(double lambda, double n, double label, double radius, std::int64_t steps) {
  const double G = radius + label;
  const Constants c{.feature_norm = 1,
                    .radius = radius,
                    .G = G,
                    .L = G + lambda * radius,
                    .beta = 1 + lambda,
                    .mu = lambda};
  const auto descend = [&](double z, double curvature, double pull, std::int64_t count) {
    for (; count > 0; --count) {
      z -= c.max_step() * (curvature * z - pull);
      z = std::clamp(z, -radius, radius);
    }
    return z;
  };
  double z = descend(-radius, lambda + 1 / n, label / n, d2d::TrainingSteps(c, n, steps));
  z = descend(z, lambda, 0, steps);
  const double anew = descend(-radius, lambda, 0, d2d::TrainingSteps(c, n - 1, steps));
  const double shift =
      d2d::StrongSigma(c, n, steps, kEpsilon, kDelta) * d2d::AllowedRatio(kEpsilon, kDelta);
  return std::abs(z - anew) / shift;
}

TEST(D2dWorstLosses, AdversarialRidgeStaysBelowAQuarter) {
  double worst = 0;
  for (const double lambda : {0.01, 0.05, 0.2}) {
    for (const double label : {1.0, 10.0, 100.0}) {
      for (const std::int64_t steps : {10, 40, 400}) {
        worst = std::max(worst, AdversarialRidge(lambda, 1e5, label, 1, steps));
      }
    }
  }
  EXPECT_GE(worst, 0.245);
  EXPECT_LE(worst, 0.25);
}

// The worst linear losses. Along them steps contract by gamma and not better, a deletion moves the
// minimiser by up to L/(m n), and training anew from the other end of the ball ends up to
// gamma^I 2 L/(m n) away, on the other side: in all 3/8 of the shift that is claimed, in which n is
// the size at the beginning, so that n/(n-k) comes to it after k deletions. Here the retained pull
// to the end of a small ball, but for the last move, and what is deleted pulls there too.
double WorstLinear(double n, double k, double kappa, std::int64_t steps) {
  const double radius = 0.02;
  const Constants c{
      .feature_norm = 1, .radius = radius, .G = 1, .L = 1 + radius, .beta = kappa, .mu = 1};
  const double pull_of_rest = radius - 2 / (n - k);
  const auto descend = [&](double z, double left, std::int64_t count) {
    const double minimiser = ((n - k) * pull_of_rest + left) / (n - k + left);
    return std::clamp(minimiser + d2d::Shrink(c, static_cast<double>(count)) * (z - minimiser),
                      -radius, radius);
  };
  double z = descend(-radius, k, d2d::TrainingSteps(c, n, steps));
  for (double left = k - 1; left >= 0; --left) z = descend(z, left, steps);
  const double anew = descend(-radius, 0, d2d::TrainingSteps(c, n - k, steps));
  const double shift =
      d2d::StrongSigma(c, n, steps, kEpsilon, kDelta) * d2d::AllowedRatio(kEpsilon, kDelta);
  return std::abs(z - anew) / shift;
}

// Kept were 0.250, 0.352 and 0.416 of the shift after 0.1%, 10% and 50%, and epsilons of 0.30, 1.56
// and 22 after 50%, 90% and 99%, of instances that were not: this one is worse than all of them.
// While half of the data is left the promise of epsilon 1 holds; then it does not.
TEST(D2dWorstLosses, LinearLossesReachThreeEighthsOfTheShift) {
  struct Kept {
    double deleted, share, epsilon, here;
  };
  for (const Kept& kept : {Kept{0.001, 0.250, 0.176, 0.266},
                           {0.1, 0.352, 0.253, 0.297},
                           {0.5, 0.416, 0.304, 0.554},
                           {0.9, 0, 1.56, 3.20},
                           {0.99, 0, 22, 54.1}}) {
    const double n = 200000, k = kept.deleted * n;
    double worst = 0;
    for (const double kappa : {2.0, 10.0, 100.0}) {
      worst = std::max(worst, WorstLinear(n, k, kappa, kappa > 10 ? 400 : 100));
    }
    EXPECT_LE(worst, 0.375 / (1 - kept.deleted));
    EXPECT_GE(worst, 0.35 / (1 - kept.deleted));
    EXPECT_GE(worst, kept.share);
    EXPECT_GE(EpsilonOf(worst), kept.epsilon);
    EXPECT_NEAR(EpsilonOf(worst), kept.here, 0.01 * kept.here);
    EXPECT_EQ(EpsilonOf(worst) <= kEpsilon, kept.deleted <= 0.5);
    // The kept shares and epsilons belong together.
    if (kept.share > 0) {
      EXPECT_NEAR(EpsilonOf(kept.share), kept.epsilon, 1e-3);
    }
  }
}

// Theorem 3.2 on ridge regression, with the covariance that its own noise leaves behind.
TEST(D2dWorstLosses, PerfectUnlearningOfRidgeIsFarBelowItsPromise) {
  const auto data = RidgeData();
  for (const double kappa : {1.5, 3.0, 21.0}) {
    const double lambda = 1 / (kappa - 1);
    Constants c = kRidge;
    c.mu = lambda;
    c.beta = 1 + lambda;
    c.L = c.G + lambda * c.radius;
    const auto steps =
        static_cast<std::int64_t>(std::ceil(d2d::PerfectLeastSteps(c, 10, kEpsilon, kDelta)));
    const double sigma = d2d::PerfectSigma(c, 200, steps, kEpsilon, kDelta);
    proof::GaussianWorld world(10);
    world.Descend(data, c.max_step(), lambda, d2d::TrainingSteps(c, 200, steps));
    world.Draw(sigma);
    double worst = 0;
    for (std::size_t i = 1; i <= 10; ++i) {
      const std::span<const Example> rest(data.begin() + static_cast<std::ptrdiff_t>(i),
                                          data.end());
      const auto n = static_cast<double>(rest.size());
      world.Descend(rest, c.max_step(), lambda,
                    d2d::PerfectUpdateSteps(c, 10, steps, static_cast<std::int64_t>(i), kDelta));
      world.Draw(sigma);
      proof::GaussianWorld anew(10);
      anew.Descend(rest, c.max_step(), lambda, d2d::TrainingSteps(c, n, steps));
      anew.Draw(sigma);
      constexpr double kOrders[] = {1.001, 2, 8, 32, 128};
      worst = std::max(worst, ExactRho(world, anew, kOrders));
    }
    EXPECT_LE(EpsilonOfMu(MuOfRho(worst), kDelta), 0.02);
  }
}

// What the ledger needs instead, on the reference problem: against "never learned" and not against
// "trained anew" the shift is 4 (L/G)/(1-gamma^I) times smaller, and its conversion is exact.
TEST_F(D2dWorstCases, TheLedgerDrawsTheKeptFactorsLess) {
  struct Kept {
    std::int64_t steps;
    double factor;
  };
  for (const Kept& kept : {Kept{25, 6.5}, {100, 5.6}}) {
    Start(D2dSpec("d2d_perfect", Calibration::kLedger, 1000, kept.steps), kPlain);
    for (int i = 0; i < 1000; ++i) mode_->Learn({Vector::Zero(kDimension), 1});
    const double ledger = Forget(0, 1).sigma;
    const double paper = d2d::StrongSigma(kPlain, 1000, kept.steps, kEpsilon, kDelta);
    EXPECT_NEAR(paper / ledger, kept.factor, 0.05);
    const double conversion =
        MuOfEpsilonDelta(kEpsilon, kDelta) / d2d::AllowedRatio(kEpsilon, kDelta);
    const double g = d2d::Shrink(kPlain, static_cast<double>(kept.steps));
    ExpectRelative(paper / ledger, 4 * kPlain.L / kPlain.G / (1 - g) * conversion, 5e-3);
    // All earlier deletions together have a geometric sum of it, still 4 L/G below the paper's.
    const double together = 2 * kPlain.G / (kPlain.mu * 1000) * g / (1 - g);
    const double shift = paper * d2d::AllowedRatio(kEpsilon, kDelta);
    ExpectRelative(shift / together, 4 * kPlain.L / kPlain.G, 1e-9);
  }
}

// Excess cost of a noised copy: that of the secret model, and sigma^2 times half of the trace of
// the Hessian. Kept from 200 draws each, which agree to the digits that were kept.
TEST_F(D2dWorstCases, TheExcessCostIsTheKeptOne) {
  struct Kept {
    int n;
    Calibration calibration;
    std::int64_t steps;
    double excess;
  };
  for (const Kept& kept : {Kept{1000, Calibration::kPaper, 100, 6.4e-7},
                           {5000, Calibration::kPaper, 100, 2.6e-8},
                           {20000, Calibration::kPaper, 100, 1.6e-9},
                           {5000, Calibration::kPaper, 25, 3.6e-3},
                           {20000, Calibration::kPaper, 25, 2.3e-4},
                           {1000, Calibration::kRecursion, 25, 2.9e-3},
                           {5000, Calibration::kRecursion, 25, 1.1e-4},
                           {20000, Calibration::kRecursion, 25, 7.1e-6},
                           {1000, Calibration::kRecursion, 100, 2.4e-8}}) {
    Start(D2dSpec("d2d_strong", kept.calibration, kept.n, kept.steps), kPlain);
    Learn(ScatteredData(1, kept.n, kDimension));
    const double sigma = Forget(0, 1).sigma;
    const MeanCost cost(Loss(LossKind::kLogistic), kPlain, payloads_);
    Vector best = mode_->model();
    ASSERT_TRUE(ResetTo(cost, kPlain, 1e-11, best).ok());
    const double excess = cost.Value(mode_->model()) - cost.Value(best) +
                          sigma * sigma / 2 * cost.Hessian(best).trace();
    ExpectRelative(excess, kept.excess, 0.04);
  }
}

}  // namespace
}  // namespace lethe::testing::d2d_worst_cases_test
