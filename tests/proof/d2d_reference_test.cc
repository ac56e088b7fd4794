// Descent-to-delete against numbers that were computed independently, in doubles, from the
// formulas and algorithms of Neel, Roth and Sharifi-Malvajerdi with their errata.
#include "tests/support/d2d_reference.h"

#include <cmath>

#include "engine/learning/mean_cost.h"
#include "engine/learning/reset.h"
#include "engine/modes/papers/d2d.h"
#include "engine/privacy/curve.h"
#include "engine/privacy/noise.h"
#include "engine/spec/accountant.h"

namespace lethe::testing::d2d_reference_test {
namespace {

// `paper` is the promise by (epsilon, delta) as D2D converts it; the rest is exact for one draw.
TEST(D2dFormulas, ReproduceTheKeptNumbers) {
  ExpectRelative(d2d::AllowedRatio(kEpsilon, kDelta), 0.186916584, 1e-8);
  ExpectRelative(d2d::LogGain(kPlain), 0.0769610411, 1e-9);
  EXPECT_EQ(d2d::TrainingSteps(kPlain, 1000, 25), 84);
  EXPECT_EQ(d2d::TrainingSteps(kPlain, 5000, 25), 105);
  EXPECT_EQ(d2d::TrainingSteps(kPlain, 20000, 25), 123);
  EXPECT_EQ(d2d::TrainingSteps(kPlain, 20000, 100), 198);
  ExpectRelative(d2d::StrongSigma(kPlain, 1000, 25, kEpsilon, kDelta), 0.80499315, 1e-7);
  ExpectRelative(d2d::StrongSigma(kPlain, 5000, 25, kEpsilon, kDelta), 0.16099863, 1e-7);
  ExpectRelative(d2d::StrongSigma(kPlain, 20000, 100, kEpsilon, kDelta), 1.0705988e-4, 1e-7);
  ExpectRelative(d2d::PerfectLeastSteps(kPlain, 20, kEpsilon, kDelta, 2), 88.7817, 1e-6);
  EXPECT_EQ(std::ceil(d2d::PerfectLeastSteps(kPlain, 20, kEpsilon, kDelta)), 98);
  ExpectRelative(d2d::PerfectSigma(kPlain, 1000, 89, kEpsilon, kDelta), 0.010483830, 1e-7);
  ExpectRelative(d2d::PerfectSigma(kPlain, 20000, 98, kEpsilon, kDelta), 2.6208727e-4, 1e-7);
  EXPECT_EQ(d2d::PerfectUpdateSteps(kPlain, 20, 89, 1, kDelta), 127);
  EXPECT_EQ(d2d::PerfectUpdateSteps(kPlain, 20, 89, 100, kDelta), 130);
  EXPECT_EQ(d2d::PerfectUpdateSteps(kPlain, 20, 98, 100, kDelta), 139);
}

struct Regularised {
  double n;
  std::int64_t steps;
  double m, sigma;
};

TEST(D2dFormulas, ReproduceTheKeptRegularisers) {
  // model.lambda is 0 in the kept numbers.
  Constants convex = kPlain;
  convex.mu = 0;
  convex.beta = 0.25;
  for (const Regularised& kept : {Regularised{1000, 25, 7.0381e-3, 2.3651567},
                                  {5000, 25, 3.6972e-3, 2.3186226},
                                  {20000, 25, 2.1235e-3, 2.0061856},
                                  {1000, 100, 4.0423e-3, 0.49516968},
                                  {5000, 100, 2.1235e-3, 0.95731068},
                                  {20000, 100, 1.2196e-3, 1.0957003}}) {
    const double m =
        d2d::RegularisedStrength(convex, kDimension, kept.n, kept.steps, kEpsilon, kDelta);
    ExpectRelative(m, kept.m, 1e-4);
    Constants c = d2d::WithRegulariser(convex, m);
    ExpectRelative(c.L, 1 + m * 10, 1e-12);
    c.L = c.G + m * c.diameter();
    ExpectRelative(d2d::StrongSigma(c, kept.n, kept.steps, kEpsilon, kDelta), kept.sigma, 1e-7);
  }
}

struct Distributed {
  double n;
  std::int64_t steps, training;
  double sigma;
};

TEST(D2dFormulas, ReproduceTheKeptPartitions) {
  for (const Distributed& kept : {Distributed{1000, 1, 164, 0.50896281},
                                  {5000, 1, 224, 4.4824061e-3},
                                  {20000, 1, 312, 5.1618402e-6},
                                  {1000, 4, 255, 4.0095549e-4},
                                  {5000, 4, 433, 4.4215e-10},
                                  {20000, 4, 731, 5.07e-20}}) {
    const d2d::Partitions parts(kept.n, kept.steps);
    EXPECT_EQ(parts.TrainingSteps(kPlain, kDelta), kept.training);
    ExpectRelative(parts.Sigma(kPlain, kEpsilon, kDelta), kept.sigma,
                   kept.sigma > 1e-7 ? 1e-7 : 1e-3);
  }
}

struct Strong {
  int n;
  double one[2], hundred[2], hundred_of_100[2];
  double recursion[2], recursion_of_100[2], ledger[2], ledger_of_100[2];
};

constexpr Strong kStrong[] = {
    {1000,
     {.83880696558998, -.76981042228250},
     {.82762307787257, -.75864161058717},
     {.82813513852413, -.75823563611755},
     {.143260, .159233},
     {4.1619e-4, 4.5580e-4},
     {.12318360, .13690608},
     {3.8410154e-4, 4.2630767e-4}},
    {5000,
     {.76701517330157, -.74218477862918},
     {.76307040511114, -.73926001051763},
     {.76316194547843, -.73918239007188},
     {.0285506, .0292830},
     {8.2963e-5, 8.3817e-5},
     {.024667516, .025172709},
     {7.6820606e-5, 7.8372447e-5}},
};

class D2dReference : public ModeFixture {
 protected:
  void ExpectStarts(const double (&expected)[2], double error) {
    EXPECT_NEAR(mode_->model()[0], expected[0], error);
    EXPECT_NEAR(mode_->model()[1], expected[1], error);
  }
  // The first deletion's and the hundredth's.
  void ExpectSigmas(const char* mode, Calibration calibration, const std::vector<Example>& data,
                    std::int64_t steps, const double (&sigmas)[2], double error) {
    Start(D2dSpec(mode, calibration, static_cast<std::int64_t>(data.size()), steps), kPlain);
    Learn(data);
    // The kept levels know neither the reserve of the curve nor that one draw absorbs a part of
    // another deletion.
    const bool is_ledger = calibration == Calibration::kLedger;
    const double reserve = is_ledger ? 1 / std::sqrt(1 - ShiftNoiseCurve::kReserve) : 1;
    ExpectRelative(Forget(0, 1).sigma, sigmas[0] * reserve, error);
    for (int i = 1; i < 99; ++i) Forget(i, i + 1);
    const Forgetting last = Forget(99, 100);
    if (!is_ledger) return ExpectRelative(last.sigma, sigmas[1], error);
    ExpectRelative(last.shift / Promise::FromBudget(spec_.forgetting.budget).value().mu, sigmas[1],
                   error);
    EXPECT_LT(last.sigma, sigmas[1] * reserve * (1 + error));
    EXPECT_GT(last.sigma, sigmas[1] * 0.98);
  }
};

TEST_F(D2dReference, TheSecretModelReproducesTheKeptOnes) {
  for (const Strong& kept : kStrong) {
    const auto data = ScatteredData(1, kept.n, kDimension);
    for (const std::int64_t steps : {25, 100}) {
      Start(D2dSpec("d2d_strong", Calibration::kRecursion, kept.n, steps), kPlain);
      Learn(data);
      Forget(0, 1);
      if (steps == 25) ExpectStarts(kept.one, 1e-10);
      for (int i = 1; i < 100; ++i) Forget(i, i + 1);
      ExpectStarts(steps == 25 ? kept.hundred : kept.hundred_of_100, 1e-8);
    }
  }
}

TEST_F(D2dReference, TheNoiseReproducesTheKeptLevels) {
  for (const Strong& kept : kStrong) {
    const auto data = ScatteredData(1, kept.n, kDimension);
    ExpectSigmas("d2d_strong", Calibration::kRecursion, data, 25, kept.recursion, 2e-5);
    ExpectSigmas("d2d_strong", Calibration::kRecursion, data, 100, kept.recursion_of_100, 1e-4);
    ExpectSigmas("d2d_perfect", Calibration::kLedger, data, 25, kept.ledger, 1e-6);
    ExpectSigmas("d2d_perfect", Calibration::kLedger, data, 100, kept.ledger_of_100, 1e-5);
  }
}

TEST_F(D2dReference, AdditionsReproduceTheKeptModel) {
  const auto data = ScatteredData(1, 1000, kDimension);
  Start(D2dSpec("d2d_strong", Calibration::kRecursion, 900, 25), kPlain);
  EXPECT_EQ(d2d::TrainingSteps(kPlain, 900, 25), 83);
  Learn(data);
  EXPECT_NEAR(mode_->model()[0], .837031359854, 1e-9);
  EXPECT_NEAR(mode_->model()[1], -.772377396022, 1e-9);
  EXPECT_NEAR(mode_->model()[2], .826566841645, 1e-9);
  double error = d2d::TrainingError(kPlain, 900, 25);
  for (int n = 901; n <= 1000; ++n) {
    error = d2d::Shrink(kPlain, 25) * (error + d2d::OptimumShift(kPlain, 0, 0, 1, n));
  }
  ExpectRelative(error, 1.8811541455e-2, 1e-9);
  // The true distance to the minimiser is far below that bound.
  Vector minimiser = mode_->model();
  ASSERT_TRUE(
      ResetTo(MeanCost(Loss(LossKind::kLogistic), kPlain, payloads_), kPlain, 1e-12, minimiser)
          .ok());
  ExpectRelative((mode_->model() - minimiser).norm(), 7.9e-4, 0.01);
}

// Plain gradient steps on what is stored, and normals of the kept paths.
class D2dPaths : public ModeFixture {
 protected:
  void Descend(std::int64_t steps, Vector& z) {
    const MeanCost cost(Loss(LossKind::kLogistic), kPlain, payloads_);
    for (; steps > 0; --steps) {
      z -= kPlain.max_step() * cost.Gradient(z);
      Project(z, kPlain.radius);
    }
  }
  void Draw(double sigma, Vector& z) {
    for (double& value : z) {
      const double length = std::sqrt(-2 * std::log1p(-normals_.Uniform()));
      value += sigma * length * std::cos(2 * std::numbers::pi * normals_.Uniform());
    }
    Project(z, kPlain.radius);
  }
  void ExpectStart(const Vector& z, double a, double b, double c) {
    EXPECT_NEAR(z[0], a, 1e-9);
    EXPECT_NEAR(z[1], b, 1e-9);
    EXPECT_NEAR(z[2], c, 1e-9);
  }
  void Store(const std::vector<Example>& data) {
    payloads_ = MemoryPayloads();
    normals_ = SplitMix(5);
    for (std::size_t i = 0; i < data.size(); ++i) {
      payloads_.Add({static_cast<std::int64_t>(i)}, data[i]);
    }
  }

  SplitMix normals_{5};
};

TEST_F(D2dPaths, ReproduceTheKeptOnes) {
  const auto data = ScatteredData(1, 1000, kDimension);
  Store(data);
  Vector z = Vector::Zero(kDimension);
  const double sigma = d2d::PerfectSigma(kPlain, 1000, 89, kEpsilon, kDelta);
  Descend(d2d::TrainingSteps(kPlain, 1000, 89), z);
  Draw(sigma, z);
  ExpectStart(z, .837398288941, -.766376811944, .821475636741);
  payloads_.Remove({0});
  Descend(127, z);
  Draw(sigma, z);
  ExpectStart(z, .830092895129, -.772076147358, .834724383132);
  payloads_.Remove({1});
  Descend(128, z);
  Draw(sigma, z);
  ExpectStart(z, .845822022754, -.762911045033, .846848264720);

  Store(data);
  z.setZero();
  Descend(84, z);
  payloads_.Remove({0});
  Descend(25, z);
  // The ledger's shift: what training brought in, and 25 steps without the event.
  const double mu = MuOfEpsilonDelta(kEpsilon, kDelta), left = d2d::Shrink(kPlain, 25);
  double e = 2 * kPlain.G / (kPlain.mu * 1000) * (1 - d2d::Shrink(kPlain, 84));
  ExpectRelative(e * left / mu, .1231836047407, 1e-9);
  Draw(e * left / mu, z);
  ExpectStart(z, .840572771275, -.697055603778, .774945207133);
  payloads_.Remove({1});
  Descend(25, z);
  // The second event was part of 25 more steps, on 999 events.
  e = left * e + 2 * kPlain.G / (kPlain.mu * 999) * (1 - left);
  ExpectRelative(e * left / mu, .1234531612688, 1e-9);
  Draw(e * left / mu, z);
  ExpectStart(z, .726840587584, -.793820653934, .838859838742);
}

TEST_F(D2dReference, RidgeReproducesTheKeptNumbers) {
  const auto data = RidgeData();
  const Constants c = kRidge;
  Spec spec = D2dSpec("d2d_strong", Calibration::kPaper, 200, 10);
  spec.model.loss = LossKind::kSquared;
  spec.model.dimension = 10;
  EXPECT_EQ(d2d::TrainingSteps(c, 200, 10), 29);
  ExpectRelative(d2d::Shrink(c, 1), .9090909, 1e-7);
  Start(spec, c);
  Learn(data);
  EXPECT_NEAR(mode_->model()[0], .189364570539, 1e-10);
  EXPECT_NEAR(mode_->model()[1], -.156768413875, 1e-10);
  EXPECT_NEAR(mode_->model()[2], .161126912570, 1e-10);
  double sigma = 0;
  for (int i = 0; i < 10; ++i) sigma = Forget(i, i + 1).sigma;
  ExpectRelative(sigma, 6.9151441990, 1e-9);
  const Vector unlearned = mode_->model();
  EXPECT_NEAR(unlearned[0], .197786879304, 1e-10);
  EXPECT_NEAR(unlearned[1], -.158105707520, 1e-10);
  EXPECT_NEAR(unlearned[2], .164787002525, 1e-10);
  spec.forgetting.erm.warmup = 190;
  Start(spec, c);
  Learn(data, 10, 200);
  ExpectRelative((unlearned - mode_->model()).norm(), 7.166662e-3, 1e-6);
}

}  // namespace
}  // namespace lethe::testing::d2d_reference_test
