// Online learning and unlearning: kept numbers about its Algorithm 3, its tables, and resets.
#include <cmath>

#include <Eigen/Cholesky>

#include "engine/learning/mean_cost.h"
#include "engine/learning/online_run.h"
#include "engine/learning/reset.h"
#include "engine/modes/papers/algorithm_3.h"
#include "engine/modes/papers/removal.h"
#include "engine/spec/split.h"
#include "tests/support/mode_fixture.h"
#include "tests/support/passive_spec.h"
#include "tests/support/reference_data.h"

namespace lethe::testing::olu_numbers_test {
namespace {

constexpr double kRho = 0.0243559704;  // of the kept numbers

// i of n events have x = e1 and y = 1, all others are orthogonal to e1. Along e1 the minimiser z
// of everything solves n lambda z = i/(1 + e^z), the retained Hessian is lambda, and the Newton
// step with the printed minus ends at 2 z, where 0 would be right.
double WrongWay(double lambda, double n, double i) {
  double low = 0, high = 1 / lambda;
  for (int k = 0; k < 200; ++k) {
    const double z = (low + high) / 2;
    (n * lambda * z < i / (1 + std::exp(z)) ? low : high) = z;
  }
  const double z = low, removed = i / (1 + std::exp(z)) - i * lambda * z;  // minus its gradient
  const double after = z + removed / ((n - i) * lambda);
  ExpectRelative(after, 2 * z, 1e-9);
  return after;
}

// The first i at which the gap passes what equation (59) promises in all; 0 if there is none.
int FirstBroken(double lambda, double radius, int n) {
  const Constants c = PlainLogistic(lambda, radius);
  for (int i = 1; i < n; ++i) {
    const double sigma = algorithm_3::PrintedSigma(c, removal::kThirdDerivative, n, i, kRho);
    if (std::pow(WrongWay(lambda, n, i) / sigma, 2) / 2 > kRho) return i;
  }
  return 0;
}

TEST(OluNumbers, EquationFiftyNineHoldsBySlackOnly) {
  const Constants c = PlainLogistic(0.05, 20);
  const auto booked = [&](double i) {
    return algorithm_3::PrintedShift(c, removal::kThirdDerivative, 1000, i);
  };
  // The gap passes what is booked for the step itself from the fifth deletion on,
  for (const int i : {1, 2, 3, 4}) EXPECT_LT(WrongWay(0.05, 1000, i), booked(i));
  EXPECT_NEAR(WrongWay(0.05, 1000, 5), 0.098, 5e-4);
  EXPECT_NEAR(booked(5), 0.082, 5e-4);
  // and what is promised in all, with its factor i^1.2, late or never.
  ModelSpec model;
  model.lambda = 0.05;
  const double r0 = MinimiserRadius(model, c);
  EXPECT_NEAR(r0, 5.27, 5e-3);
  EXPECT_EQ(FirstBroken(0.05, 20, 20000), 521);
  EXPECT_EQ(FirstBroken(0.05, r0, 20000), 108);
  EXPECT_EQ(FirstBroken(0.05, 20, 1000), 0);
  EXPECT_EQ(FirstBroken(0.01, 20, 1000), 0);
}

// The corrected form, with steps enough: good for one event of many, useless for batches.
TEST(OluNumbers, TheCorrectedAlgorithmCarriesTheKeptShifts) {
  const Constants c = PlainLogistic(0.05, 20);
  const auto corrected = [&](double n, double m) {
    return algorithm_3::NewtonError(c, removal::kThirdDerivative, m * c.L / (c.mu * (n - m)));
  };
  const auto passive = [&](double n, double m) { return m * c.L / (c.mu * n); };
  EXPECT_NEAR(corrected(20000, 1), 4e-6, 5e-7);
  EXPECT_NEAR(passive(20000, 1), 2e-3, 1e-9);
  EXPECT_NEAR(corrected(1000, 100), 19, 0.05);
  EXPECT_NEAR(passive(1000, 100), 4, 1e-9);
}

// Newton from the iterate of online descent: norms of the mean gradient.
TEST(OluNumbers, ResetsTakeTheKeptSteps) {
  const Constants c = PlainLogistic(0.05, 20);
  LearningSpec learning;
  learning.schedule = ScheduleKind::kInverseTime;
  const Schedule schedule = Schedule::Make(learning, Split::kCurve, c, kRho, 20).value();
  const Loss loss(LossKind::kLogistic);
  OnlineRun run(loss, c, schedule, 20);
  MemoryPayloads payloads;
  std::int64_t index = 0;
  for (const Example& example : ReferenceData(1, 1000, 20)) {
    run.Learn(example);
    payloads.Add({index++}, example);
  }
  const MeanCost cost(loss, c, payloads);
  Vector z = run.model();
  ExpectRelative(cost.Gradient(z).norm(), 3.3e-3, 0.02);
  z -= cost.Hessian(z).llt().solve(cost.Gradient(z));
  ExpectRelative(cost.Gradient(z).norm(), 3.2e-7, 0.02);
  z -= cost.Hessian(z).llt().solve(cost.Gradient(z));
  EXPECT_LT(cost.Gradient(z).norm(), 2e-14);  // rounding; 8.8e-15 was kept
}

// Noise of passive deletion and of resets, by the modes themselves.
class OluModes : public ModeFixture {};

TEST_F(OluModes, DrawTheKeptNoise) {
  struct Kept {
    const char* mode;
    int n;
    std::int64_t deleted;
    double sigma, error;
  };
  for (const Kept& kept : {Kept{"passive", 1000, 1, 0.18 / 2, 0.01},
                           {"passive", 20000, 1, 9.1e-3 / 2, 0.01},
                           {"passive", 20000, 100, 0.91 / 2, 0.01},
                           {"active", 1000, 1, 2e-8, 0.1},
                           {"active", 20000, 100, 1.8e-8, 0.01},
                           {"certified_removal", 20000, 100, 1.8e-8, 0.01}}) {
    Spec spec = PassiveSpec();
    spec.model.dimension = 20;
    spec.learning.schedule = ScheduleKind::kInverseTime;
    spec.forgetting.mode = kept.mode;
    spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = {}, .rho = kRho};
    spec.forgetting.erm = {.warmup = kept.n, .refit_every = kept.n, .steps = 1};
    spec.forgetting.shrink.off = true;
    spec.noise.source = NoiseKind::kDisabled;
    Start(spec, PlainLogistic(0.05, 20));
    Learn(ReferenceData(1, kept.n, 20));
    // The kept level is m L/(mu n). Mode passive enters an event with G, which is L/2 here. The
    // first three events have less, because their steps of 1/(lambda t) are capped at 2/(beta+mu).
    ExpectRelative(Forget(3, 3 + kept.deleted).sigma, kept.sigma, kept.error);
  }
}

// Table 1: for a constant step size. The noise enters k times and not T times.
TEST(OluNumbers, TheConstantStepIsTheCorrectedOne) {
  const double omega = kZetaExponent;
  EXPECT_NEAR(2 * (omega * omega - 1), 0.88, 1e-12);  // where 0.42 is printed
  const double T = 20000, k = 100, d = 20, rho = 0.0244;
  const double printed =
      std::sqrt(2 / (T * (1 + omega * std::pow(k, omega + 1) * d / (0.42 * rho))));
  EXPECT_NEAR(printed, 1.3e-6, 5e-8);
  Constants c = PlainLogistic(0.05, 20);
  const HorizonSpec horizon{.events = 20000, .deletions = 100};
  const auto step = [&](Split split) {
    return HorizonStep(horizon, split, c, rho, 20) * c.L / c.diameter();
  };
  EXPECT_NEAR(step(Split::kZeta), 1.9e-4, 5e-6);
  EXPECT_NEAR(step(Split::kCurve), 4.9e-4, 5e-6);
  // The sum of j^omega up to k is above the integral, not below it.
  EXPECT_NEAR(1 / (omega + 1), 0.45, 5e-3);
}

// Table 2, online DP: a group of k costs k^2 and not k^1.6, and a node that is combined with the
// two below it, by their variances, has the kept variance.
TEST(OluNumbers, GroupsAndCombinedNodesCostTheKeptAmounts) {
  EXPECT_NEAR(std::pow(3, 1.6), 5.8, 5e-2);
  EXPECT_NEAR(std::log2(3), 1.6, 0.02);  // Proposition 1 doubles groups, 3 times the cost each time
  EXPECT_EQ(RhoOfMu(3) / RhoOfMu(1), 9);
  double variance = 1;
  for (int j = 1; j <= 20; ++j) {
    variance = 1 / (1 + 1 / (2 * variance));
    ExpectRelative(variance, 1 / (2 * (1 - std::pow(2, -j - 1))), 1e-12);
  }
}

}  // namespace
}  // namespace lethe::testing::olu_numbers_test
