// Noise at every step: kept numbers of Noisy-GD, and exact divergence.
#include <cmath>
#include <iostream>

#include <gtest/gtest.h>

#include "engine/mean_cost.h"
#include "engine/modes/noisy_gd.h"
#include "engine/modes/step_account.h"
#include "engine/noise.h"
#include "tests/support/mode_fixture.h"
#include "tests/support/proof_erm.h"
#include "tests/support/proof_tally.h"

namespace lethe::proof {
namespace {

using testing::ExpectRelative;

constexpr double kOrders[] = {1.001, 1.5, 2, 4, 8, 16, 32};
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

// How many steps the mode took for each request, its noise being booked and not drawn.
std::vector<std::int64_t> StepsOfMode(const Script& script) {
  Spec spec = script.plan().spec;
  spec.noise.source = NoiseKind::kDisabled;
  KeyedRandom unused(0);
  MemoryPayloads payloads;
  const auto mode = script.NewMode(spec, unused, payloads);
  std::vector<std::int64_t> steps;
  std::int64_t learned = 0;
  for (const Request& request : script.requests()) {
    for (; learned < request.after; ++learned) {
      mode->Learn(script.events()[static_cast<std::size_t>(learned)]);
    }
    const std::int64_t before = mode->DeletionGradients();
    mode->Release(request.batch);
    EXPECT_TRUE(mode->Forget(request.batch).ok());
    const std::int64_t n = std::max<std::int64_t>(1, payloads.count());
    steps.push_back((mode->DeletionGradients() - before) / n);
  }
  return steps;
}

TEST(ExactNoisy, NoisyGdIsBelowItsCertificate) {
  double worst = 0;
  int deletions = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    Spec spec = RandomErmSpec(dice, "noisy_gd");
    spec.forgetting.guarantee = Guarantee::kJoint;
    spec.forgetting.noisy.mu = spec.forgetting.budget.mu.value() * dice.LogUniform(0.5, 20);
    const Script script = RandomErmScript(dice, spec);
    const std::vector<std::int64_t> counts = StepsOfMode(script);
    const Plan& plan = script.plan();
    const double c = Contraction(plan.constants, plan.constants.max_step());
    const Eigen::Index d = script.events()[0].x.size();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      GaussianWorld learned(d), blank(d);
      // The noise is public: in both worlds that of the real one's number of events.
      std::vector<double> sigmas;
      const auto steps = [&](std::optional<std::size_t> request, bool) {
        return request ? counts[*request] : spec.forgetting.erm.steps;
      };
      const auto nothing = [](std::optional<std::size_t>) {};
      PlayErm(script, {}, i, learned,
              {steps, nothing, [&](std::size_t n) {
                 sigmas.push_back(std::sqrt(noisy_gd::NoiseOfStep(
                     plan.constants, c, static_cast<double>(n), *spec.forgetting.noisy.mu)));
                 learned.Draw(sigmas.back());
               }});
      std::size_t next = 0;
      PlayErm(script, script.Blank(i), i, blank,
              {steps, nothing, [&](std::size_t) { blank.Draw(sigmas[next++]); }});
      if (sigmas.empty()) continue;
      ++deletions;
      const double ratio = ExactRho(learned, blank, kOrders) / plan.promise.rho;
      ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed << ", request " << i;
      worst = std::max(worst, ratio);
    }
  }
  std::cout << "[ exact    ] noisy_gd: " << deletions << " deletions, worst exact/promised "
            << worst << std::endl;
  EXPECT_GE(worst, 0.05);
}

// The law of a script under mode noisy, in the world with these blank events.
GaussianWorld PlayNoisy(const Script& script, const std::vector<bool>& blank,
                        const std::vector<double>& sigmas, std::size_t last) {
  const Plan& plan = script.plan();
  GaussianWorld world(script.events()[0].x.size());
  std::int64_t learned = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    for (; learned < script.requests()[i].after; ++learned) {
      const auto k = static_cast<std::size_t>(learned);
      const double eta = plan.schedule.Step(learned + 1);
      if (blank.empty() || !blank[k]) {
        world.Learn(script.events()[k].x, script.events()[k].y, eta, plan.constants.mu);
      }
      // A little less than is drawn, which leaves room for rounding.
      world.Draw(eta * plan.constants.L / *plan.spec.forgetting.noisy.mu);
    }
    world.Draw(sigmas[i]);
  }
  return world;
}

// The worst case: the event comes first, with a gradient of nearly L, and only empty ones follow.
TEST(ExactNoisy, OnlineNoiseAttainsItsBound) {
  for (const std::int64_t later : {0, 1, 20}) {
    Spec spec = TightSpec(1, 100, 0.5);
    spec.model.dimension = 1;
    spec.learning.eta = 0.5 / (402 * 101);
    spec.forgetting.mode = "noisy";
    spec.forgetting.noisy.mu = 20;
    const auto d = static_cast<Eigen::Index>(spec.model.dimension);
    Script script(spec);
    script.Learn(Vector::Unit(d, 0) * spec.model.feature_norm, spec.model.label_bound);
    script.LearnMany(later, Vector::Zero(d), 0);
    script.Forget({0});
    const std::vector<double> sigmas = script.Sigmas();
    const double ratio = ExactRho(PlayNoisy(script, {}, sigmas, 0),
                                  PlayNoisy(script, script.Blank(0), sigmas, 0), kOrders) /
                         script.plan().promise.rho;
    EXPECT_LE(ratio, 1 + kSlack) << later;
    EXPECT_GE(ratio, 0.98) << later;
  }
}

TEST(ExactNoisy, OnlineNoiseIsBelowItsCertificate) {
  double worst = 0;
  int deletions = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    Spec spec = RandomErmSpec(dice, "noisy");
    spec.forgetting.noisy.mu = spec.forgetting.budget.mu.value() * dice.LogUniform(0.5, 20);
    const Script script = RandomErmScript(dice, spec);
    const std::vector<double> sigmas = script.Sigmas();
    const Plan& plan = script.plan();
    for (std::size_t i = 0; i < sigmas.size(); ++i) {
      // A step that one world does not take leaves it with another covariance. See LinearRun: only
      // orders that do not magnify this to more than a half can be compared.
      const std::vector<bool> is_blank = script.Blank(i);
      double unequal = 0;
      for (std::size_t k = 0; k < is_blank.size(); ++k) {
        if (is_blank[k]) {
          unequal += 2 * plan.constants.beta * plan.schedule.Step(static_cast<std::int64_t>(k) + 1);
        }
      }
      std::vector<double> orders;
      for (const double order : kOrders) {
        if (order * unequal <= 0.5) orders.push_back(order);
      }
      if (orders.empty()) continue;
      ++deletions;
      const double ratio = ExactRho(PlayNoisy(script, {}, sigmas, i),
                                    PlayNoisy(script, is_blank, sigmas, i), orders) /
                           plan.promise.rho;
      ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed << ", request " << i;
      worst = std::max(worst, ratio);
    }
  }
  std::cout << "[ exact    ] noisy: " << deletions << " deletions, worst exact/promised " << worst
            << std::endl;
  EXPECT_GE(worst, 0.05);
}

// Requests that depend on what was released: every model is, so an event costs what its own step
// does, once and for all.
TEST(Noisy, AdaptiveRequestsAreCertifiedWhileTheNoiseOfTheStepsSuffices) {
  Spec spec;
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
}  // namespace lethe::proof
