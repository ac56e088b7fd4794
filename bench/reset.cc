// A deletion by reset (mode active, second_order) against one by retraining, with n events
// retained: both see every retained event, a reset a few times.
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "app/generate/split_mix.h"
#include "connectors/system/sodium_random.h"
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

// Between two deletions come n/100 events: that is how far the model has moved since the last one.
void Forget(benchmark::State& state, const char* mode) {
  Spec spec;
  spec.model.dimension = kDimension;
  spec.forgetting.mode = mode;
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
  std::int64_t learned = 0;
  const auto learn = [&](std::int64_t count) {
    for (; count > 0; --count, ++learned) unlearner->Learn(NewExample(random));
  };
  learn(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    learn(state.range(0) / 100);
    const Target target{{learned / 2}, {}};  // another one each time
    state.ResumeTiming();
    unlearner->Release({&target, 1});
    benchmark::DoNotOptimize(unlearner->Forget({&target, 1}).value());
  }
  state.counters["retained"] = static_cast<double>(payloads.count());
}

BENCHMARK_CAPTURE(Forget, reset, "active")
    ->ArgName("n")
    ->Arg(1'000)
    ->Arg(20'000)
    ->Arg(100'000)
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Forget, retrain, "retrain")
    ->ArgName("n")
    ->Arg(1'000)
    ->Arg(20'000)
    ->Arg(100'000)
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lethe
