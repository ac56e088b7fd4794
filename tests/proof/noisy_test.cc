// Noise at every step: kept numbers of Noisy-GD, its account, and adaptive requests.
#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "engine/learning/mean_cost.h"
#include "engine/modes/papers/noisy_gd.h"
#include "engine/modes/papers/step_account.h"
#include "tests/support/mode_fixture.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_script.h"

namespace lethe::proof::noisy_test {
namespace {

using testing::ExpectRelative;

constexpr double kEpsilon = 1, kDelta = 1e-6;
const Constants kPlain = testing::PlainLogistic(0.01, 10);

TEST(NoisyGd, ThePapersFormulasReproduceTheKeptNumbers) {
  const double q = noisy_gd::Order(kEpsilon, kDelta);
  ExpectRelative(q, 28.631021, 1e-7);
  ExpectRelative(std::sqrt(2 * 0.5 / q), 0.186888, 3e-6);  // the shift/sigma that it allows
  struct Kept {
    double n, eps_dp, scale;
    std::int64_t training, deletion;
  };
  for (const Kept& kept : {Kept{1000, 0.5, 0.15134337, 561, 507},
                           {5000, 0.5, 0.030268675, 895, 507},
                           {20000, 0.5, 0.0075671687, 1184, 507},
                           {1000, 50, 0.015134337, 1040, 507},
                           {5000, 50, 0.0030268675, 1374, 507},
                           {20000, 50, 7.5671687e-4, 1663, 507},
                           {1000, 5000, 0.0015134337, 1519, 958},
                           {5000, 5000, 3.0268675e-4, 1853, 958},
                           {20000, 5000, 7.5671687e-5, 2142, 958}}) {
    ExpectRelative(noisy_gd::Scale(kPlain, kept.n, q, kept.eps_dp), kept.scale, 1e-7);
    EXPECT_EQ(noisy_gd::TrainingSteps(kPlain, kept.n, 20, q, kept.eps_dp), kept.training);
    EXPECT_EQ(noisy_gd::DeletionSteps(kPlain, 20, q, kept.eps_dp, 0.5, 1), kept.deletion);
  }
}

// s of the ledger's noise on n - 100 events, and the steps of a deletion from a run that has gone
// on for long: ln(mu_dp/mu)/ln(1/c).
TEST(NoisyGd, TheLedgersNoiseReproducesTheKeptNumbers) {
  const double mu = MuOfEpsilonDelta(kEpsilon, kDelta);
  const double eta = 2 / (kPlain.beta + kPlain.mu);
  const double c = (kPlain.beta - kPlain.mu) / (kPlain.beta + kPlain.mu);
  struct Kept {
    double n, mu_dp, scale;
    std::int64_t steps;
  };
  for (const Kept& kept : {Kept{1000, mu, 0.092126799, 1},
                           {5000, mu, 0.016921249, 1},
                           {20000, mu, 0.0041665387, 1},
                           {1000, 1.31513, 0.016581492, 23},
                           {5000, 1.31513, 0.0030455801, 23},
                           {20000, 1.31513, 7.4991670e-4, 23},
                           {1000, 13.1513, 0.0016581492, 53},
                           {5000, 13.1513, 3.0455801e-4, 53},
                           {20000, 13.1513, 7.4991670e-5, 53}}) {
    const double n = kept.n - 100;
    const double noise = noisy_gd::NoiseOfStep(kPlain, c, n, kept.mu_dp);
    ExpectRelative(std::sqrt(noise / (2 * eta)), kept.scale, 1e-5);
    StepAccount account(c);
    StepAccount::Steps steps{
        .count = 3000, .learned = 1, .noise = noise, .shift = 2 * kPlain.G * eta / n};
    account.Add(steps);
    const Target target{{0}, {}};
    account.Delete({&target, 1});
    const auto divergence = [&](std::int64_t count) {
      steps.count = count;
      return account.Divergence(steps);
    };
    EXPECT_LE(divergence(kept.steps), RhoOfMu(mu) * (1 + 1e-6));
    if (kept.steps > 1) {
      EXPECT_GT(divergence(kept.steps - 1), RhoOfMu(mu));
    }
  }
}

// At constant noise the whole shift may use all of the noise: e^2/(2 V); and what an adaptive
// requester saw costs the closed form of each block.
TEST(NoisyGd, TheAccountIsTheClosedForm) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const double c = dice.Uniform(0.3, 0.99), v = dice.LogUniform(0.1, 10);
    const double s = dice.LogUniform(0.01, 1);
    const auto k = 1 + dice.Below(40), after = 1 + dice.Below(20);
    StepAccount account(c);
    account.Add({.count = k, .learned = 1, .noise = v, .shift = s});
    const Target target{{0}, {}};
    account.Delete({&target, 1});
    const double ck = std::pow(c, k);
    const double block = s * s / (2 * v) * (1 + c) / (1 - c) * (1 - ck) / (1 + ck);
    ExpectRelative(account.AdaptiveDivergence(), block, 1e-7);
    const double e = s * (1 - ck) / (1 - c) * std::pow(c, after);
    const double all = v * (1 - std::pow(c, 2 * (k + after))) / (1 - c * c);
    ExpectRelative(account.Divergence({.count = after, .noise = v}), e * e / (2 * all), 1e-6);
  }
}

// Why all of it: absorbing a_t at step t costs sum a_t^2/(2 v), and sum of a_t c^(T-t) must be e,
// the shift that is left at the end. The least is at the solution of a linear system, and none of
// it absorbs what has not entered yet.
TEST(NoisyGd, TheClosedFormIsTheLeastCost) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Dice dice(seed);
    const double c = dice.Uniform(0.3, 0.99), v = dice.LogUniform(0.1, 10), s = dice.Uniform();
    const auto T = static_cast<Eigen::Index>(2 + dice.Below(30));
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(T + 1, T + 1);
    double e = 0, variance = 0;
    for (Eigen::Index t = 0; t < T; ++t) {
      const double fade = std::pow(c, T - 1 - t);
      system(t, t) = 1 / v;
      system(t, T) = system(T, t) = fade;
      e += s * fade;
      variance += v * fade * fade;
    }
    const Vector absorbed = system.fullPivLu().solve(e * Vector::Unit(T + 1, T)).head(T);
    ExpectRelative(absorbed.squaredNorm() / (2 * v), e * e / (2 * variance), 1e-12);
    double waiting = 0;
    for (Eigen::Index t = 0; t < T; ++t) {
      waiting = c * waiting + s - absorbed[t];
      EXPECT_GE(waiting, -1e-12) << seed;
    }
  }
}

// 10 noisy steps on all rows and 10 more without row 0, with the paper's step, start and noise.
TEST(NoisyGd, TheKeptPathIsReproduced) {
  const auto data = testing::ScatteredData(1, 1000, 20);
  MemoryPayloads payloads;
  for (std::size_t i = 0; i < data.size(); ++i) {
    payloads.Add({static_cast<std::int64_t>(i)}, data[i]);
  }
  const MeanCost cost(Loss(LossKind::kLogistic), kPlain, payloads);
  SplitMix random(5);
  const double scale = noisy_gd::Scale(kPlain, 1000, noisy_gd::Order(kEpsilon, kDelta), 50);
  const double eta = 1 / (2 * kPlain.beta);
  Vector z = Vector::Zero(20);
  const auto draw = [&](double sigma) {
    for (double& value : z) value += sigma * random.Normal();
  };
  const auto expect = [&](double a, double b, double c) {
    EXPECT_NEAR(z[0], a, 1e-10);
    EXPECT_NEAR(z[1], b, 1e-10);
    EXPECT_NEAR(z[2], c, 1e-10);
  };
  const auto steps = [&] {
    for (int i = 0; i < 10; ++i) {
      z -= eta * cost.Gradient(z);
      draw(std::sqrt(2 * eta) * scale);
    }
  };
  draw(noisy_gd::StartSigma(kPlain, scale));
  expect(0.002179974790, 0.089819435716, -0.071793667273);
  steps();
  expect(0.235537489509, -0.077405787336, 0.167958141943);
  payloads.Remove({0});
  steps();
  expect(0.210814343851, -0.232553254106, 0.249178708842);
}

// Requests that depend on what was released: every model is, so an event costs what its own step
// does, once and for all.
TEST(Noisy, AdaptiveRequestsAreCertifiedWhileTheNoiseOfTheStepsSuffices) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 3;
  spec.forgetting.mode = "noisy";
  spec.forgetting.noisy.requests = Requests::kAdaptive;
  const double mu = MuOfEpsilonDelta(1, 1e-6);
  for (const int k : {1, 4}) {
    spec.forgetting.noisy.mu = mu / std::sqrt(k) * (1 - 1e-6);
    Script script(spec);
    script.LearnMany(20, Vector::Constant(3, 0.1), 1);
    EXPECT_TRUE(script.plan().AllowsAdaptiveRequests());
    KeyedRandom random(1);
    MemoryPayloads payloads;
    const auto mode = script.NewMode(script.plan().spec, random, payloads);
    for (const Example& example : script.events()) mode->Learn(example);
    for (int i = 0; i <= k; ++i) {
      const Target target{{i}, {}};
      mode->Release({&target, 1});
      EXPECT_EQ(mode->Forget({&target, 1}).value().why_not == nullptr, i < k) << k << " " << i;
    }
  }
}

}  // namespace
}  // namespace lethe::proof::noisy_test
