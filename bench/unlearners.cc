// One deletion by each mode, with n events retained, against learning everything again.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <benchmark/benchmark.h>

#include "app/compare/compare.h"
#include "bench/unlearner_bed.h"
#include "engine/learning/mean_cost.h"

namespace lethe {
namespace {

constexpr std::int64_t kDimension = UnlearnerBed::kDimension;

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
  UnlearnerBed bed(spec);
  bed.Learn(n);
  std::int64_t next = n / 3;
  const std::int64_t before = bed.deletion_gradients();
  for (auto _ : state) benchmark::DoNotOptimize(bed.Forget(next++));
  state.counters["gradients"] =
      static_cast<double>(bed.deletion_gradients() - before) / static_cast<double>(next - n / 3);
}

// What a deletion by Newton's method costs if every step takes the Hessian of all events.
void FullNewton(benchmark::State& state) {
  Spec spec;
  spec.model.dimension = kDimension;
  const Constants constants = Constants::Derive(spec.model).value();
  MemoryPayloads payloads;
  SplitMix random(1);
  for (std::int64_t i = 0; i < state.range(0); ++i)
    payloads.Add({i}, UnlearnerBed::NewExample(random));
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
