// One deletion by each mode, with n events retained, against learning everything again.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <benchmark/benchmark.h>

#include "app/compare/compare.h"
#include "app/generate/split_mix.h"
#include "connectors/system/sodium_random.h"
#include "engine/mean_cost.h"
#include "engine/modes/registry.h"
#include "state/memory_payloads.h"

namespace lethe {
namespace {

constexpr std::int64_t kDimension = 20;

// A linear rule with noise, so that there is something to minimise.
Example NewExample(SplitMix& random) {
  Example example{Vector(kDimension), 1};
  for (double& value : example.x) value = 2 * random.Uniform() - 1;
  example.x *= 0.99 / example.x.norm();
  if (example.x[0] + example.x[1] + 0.5 * (random.Uniform() - 0.5) < 0) example.y = -1;
  return example;
}

// Trained on n events; then single ones are deleted, one after the other.
void Forget(benchmark::State& state, const Contender& contender) {
  Spec spec = contender.spec;
  const std::int64_t n = state.range(0);
  spec.forgetting.erm.warmup = n;
  spec.forgetting.erm.refit_every = n;
  // There the steps of a partition are sqrt(n) times these.
  if (spec.forgetting.mode == "d2d_distributed") spec.forgetting.erm.steps = 4;
  spec.forgetting.fats.client = FatsClient::kIndex;
  spec.forgetting.fats.round_every = n / 5;
  spec.forgetting.fats.batch = n / 200;
  spec.noise.source = NoiseKind::kSeeded;
  const Plan plan = Plan::Make(spec).value();
  SeededRandom noise(1);
  MemoryPayloads payloads;
  const auto unlearner = plan.mode->make({.spec = plan.spec,
                                          .constants = plan.constants,
                                          .schedule = plan.schedule,
                                          .promise = plan.promise,
                                          .shard = {0},
                                          .random = noise,
                                          .payloads = payloads});
  SplitMix random(1);
  for (std::int64_t i = 0; i < n; ++i) unlearner->Learn(NewExample(random));
  std::int64_t next = n / 3;
  const std::int64_t before = unlearner->DeletionGradients();
  for (auto _ : state) {
    const Target target{{next++}, {}};
    unlearner->Release({&target, 1});
    benchmark::DoNotOptimize(unlearner->Forget({&target, 1}).value());
  }
  state.counters["gradients"] = static_cast<double>(unlearner->DeletionGradients() - before) /
                                static_cast<double>(next - n / 3);
}

// What a deletion by Newton's method costs if every step takes the Hessian of all events.
void FullNewton(benchmark::State& state) {
  Spec spec;
  spec.model.dimension = kDimension;
  const Constants constants = Constants::Derive(spec.model).value();
  MemoryPayloads payloads;
  SplitMix random(1);
  for (std::int64_t i = 0; i < state.range(0); ++i) payloads.Add({i}, NewExample(random));
  const MeanCost cost(Loss(LossKind::kLogistic), constants, payloads);
  Vector z = Vector::Zero(kDimension);
  const auto solve = [&] {
    for (Vector g = cost.Gradient(z); g.norm() > 1e-10; g = cost.Gradient(z)) {
      z -= cost.Hessian(z).llt().solve(g);
    }
  };
  solve();
  std::int64_t next = state.range(0) / 3;
  for (auto _ : state) {
    payloads.Remove({next++});
    solve();
    benchmark::DoNotOptimize(z);
  }
}
BENCHMARK(FullNewton)
    ->ArgName("n")
    ->Arg(1'000)
    ->Arg(20'000)
    ->Arg(100'000)
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

const bool kRegistered = [] {
  Spec base;
  base.model.dimension = kDimension;
  base.learning.schedule = ScheduleKind::kInverseTime;
  for (const Contender& contender : AllContenders(base)) {
    if (!Plan::Make(contender.spec).ok()) continue;
    // What as printed takes more than a minute for one deletion says nothing that is not known.
    if (contender.name == "d2d_distributed/paper") continue;
    benchmark::RegisterBenchmark(contender.name.c_str(),
                                 [contender](benchmark::State& state) { Forget(state, contender); })
        ->ArgName("n")
        ->Arg(1'000)
        ->Arg(20'000)
        ->Arg(100'000)
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace lethe
