// A deletion by reset (mode active, second_order) against one by retraining, with n events
// retained: both see every retained event, a reset a few times.
#include <benchmark/benchmark.h>

#include "bench/unlearner_bed.h"

namespace lethe {
namespace {

// Between two deletions come n/100 events: that is how far the model has moved since the last one.
void Forget(benchmark::State& state, const char* mode) {
  Spec spec;
  spec.forgetting.mode = mode;
  UnlearnerBed bed(spec);
  bed.Learn(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    bed.Learn(state.range(0) / 100);
    state.ResumeTiming();
    benchmark::DoNotOptimize(bed.Forget(bed.learned() / 2));  // another one each time
  }
  state.counters["retained"] = static_cast<double>(bed.retained());
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
