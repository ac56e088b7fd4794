// Falsifier, certified removal and OLU Algorithm 3: what holds, and what it must catch.
#include <cmath>

#include <gtest/gtest.h>

#include "engine/modes/papers/removal.h"
#include "engine/plan.h"
#include "engine/privacy/noise.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_falsifier.h"
#include "tests/support/proof_random.h"
#include "tests/support/reference_data.h"

namespace lethe::proof::falsifier_modes_test {
namespace {

// Certified removal as published. The bound that decides about training anew is a function of b:
// draws of b with a large bound are thrown away after a removal, and not when the event was never
// there. An attacker who knows the data gets b back from the model.
class Trigger {
 public:
  static constexpr std::int64_t kEvents = 200;

  Trigger() : data_(testing::ReferenceData(1, kEvents, 1)) {
    for (Example& example : data_) example.x *= 0.999;
    std::vector<double> bounds;
    for (int i = -100; i <= 100; ++i) bounds.push_back(BoundAt(Vector::Constant(1, i * 1e-3)));
    // The perturbation whose budget is the median bound: there the test is undecided.
    std::nth_element(bounds.begin(), bounds.begin() + 100, bounds.end());
    sigma_ = bounds[100] / removal::Budget(1, 1, 1e-6);
  }

  Plan MakePlan() const {
    Spec spec = PassiveSpec();
    spec.model.dimension = 1;
    spec.forgetting.mode = "certified_removal";
    spec.forgetting.variant = RemovalVariant::kPaper;
    spec.forgetting.removal.perturbation = sigma_;
    spec.forgetting.erm = {.warmup = kEvents, .refit_every = 1000, .steps = 1};
    return Plan::Make(spec).value();
  }

  // The bound that the linear term of a published model would have had.
  double ScoreOf(std::uint64_t seed, bool is_blank) const {
    const Plan plan = MakePlan();
    MemoryPayloads payloads;
    KeyedRandom random(seed);
    const auto mode = MakeUnlearner(plan, {0}, random, payloads);
    const Target target{{0}, {}};
    for (std::int64_t i = 0; i < kEvents; ++i) {
      if (i == kEvents - 1 && is_blank) payloads.Remove({0});
      mode->Learn(data_[static_cast<std::size_t>(i)]);
    }
    if (!is_blank) {
      mode->Release({&target, 1});
      EXPECT_TRUE(mode->Forget({&target, 1}).ok());
    }
    const removal::Sums sums(Loss(LossKind::kLogistic), plan.constants.mu, payloads, kEvents);
    return BoundAt(-sums.Gradient(mode->model()));
  }

 private:
  double BoundAt(const Vector& b) const {
    MemoryPayloads payloads;
    for (std::int64_t i = 0; i < kEvents; ++i) {
      payloads.Add({i}, data_[static_cast<std::size_t>(i)]);
    }
    const Loss loss(LossKind::kLogistic);
    const double lambda = ModelSpec().lambda;
    const removal::Sums sums(loss, lambda, payloads, kEvents);
    Vector w = Vector::Zero(1);
    removal::Train(sums, b, w);
    payloads.Remove({0});
    const auto step = removal::RemovalStep(sums, loss, lambda, {data_.data(), 1}, w);
    return removal::PrintedBound(sums.Outer(1), step.s, 1);
  }

  std::vector<Example> data_;
  double sigma_ = 1;
};

TEST(FalsifierModes, CatchesTheBudgetTriggerOfCertifiedRemoval) {
  const Trigger trigger;
  const Verdict verdict =
      Report("certified removal, trains anew when its bound is spent",
             Falsify(
                 MuOfEpsilonDelta(1, 1e-6), 3000,
                 [&](std::uint64_t seed) { return trigger.ScoreOf(seed, false); },
                 [&](std::uint64_t seed) { return trigger.ScoreOf(seed, true); }));
  EXPECT_TRUE(verdict.caught());
}

// Algorithm 3: one person's 20 events, the last of 1,000, are deleted together; in the other world
// they never came.
struct Deleted {
  double model = 0;
  double sigma = 0;
};
Deleted AfterDeletion(ActiveVariant variant, bool is_blank) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 1;
  spec.model.lambda = 0.05;
  spec.model.radius = 6;
  spec.forgetting.mode = "active";
  spec.forgetting.active.variant = variant;
  spec.noise.source = NoiseKind::kDisabled;
  const Plan plan = Plan::Make(spec).value();
  MemoryPayloads payloads;
  KeyedRandom unused(0);
  const auto mode = MakeUnlearner(plan, {0}, unused, payloads);
  constexpr std::int64_t kEvents = 1000, kDeleted = 20;
  std::vector<Target> batch;
  for (std::int64_t i = 0; i < kEvents; ++i) {
    const bool is_odd = i >= kEvents - kDeleted;
    if (is_odd && is_blank) break;
    mode->Learn({Vector::Constant(1, 0.999), is_odd ? 1.0 : -1.0});
    if (is_odd) batch.push_back({{i}, {}});
  }
  // In the other world the descent is made all the same.
  mode->Release(batch);
  const auto forgetting = mode->Forget(batch);
  EXPECT_TRUE(forgetting.ok());
  return {mode->model()[0], forgetting.value().sigma};
}

TEST(FalsifierModes, CatchesAlgorithm3AsPrinted) {
  for (const ActiveVariant variant :
       {ActiveVariant::kAlgorithm3, ActiveVariant::kAlgorithm3Paper}) {
    const Deleted learned = AfterDeletion(variant, false), blank = AfterDeletion(variant, true);
    const auto score = [&](double model) {
      return [&learned, model](std::uint64_t seed) {
        KeyedRandom random(seed);
        Vector z = Vector::Constant(1, model);
        AddGridNoise(z, learned.sigma, 6, random, {Stream::Purpose::kNoise, {0}, 0});
        return z[0];
      };
    };
    const Verdict verdict =
        Report(Name(variant),
               Falsify(MuOfEpsilonDelta(1, 1e-6), 4000, score(learned.model), score(blank.model)));
    EXPECT_EQ(verdict.caught(), variant == ActiveVariant::kAlgorithm3Paper);
  }
}

}  // namespace
}  // namespace lethe::proof::falsifier_modes_test
