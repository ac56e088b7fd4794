// What a learn step and a deletion in mode rewind cost with each update rule, dense and hashed.
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "connectors/system/sodium_random.h"
#include "engine/base/split_mix.h"
#include "engine/modes/online_unlearner.h"
#include "engine/plan.h"
#include "state/payloads/memory_payloads.h"

namespace lethe {
namespace {

constexpr std::size_t kEvents = 4096;  // a power of two
constexpr std::size_t kAhead = 8;
constexpr std::int64_t kHashBits = 18;
constexpr int kFeatures = 15;  // of an event with hashed features
constexpr std::int64_t kWindow = 100'000;

// `dimension` 0: hashed features.
Plan PlanOf(UpdateKind update, std::int64_t dimension) {
  Spec spec;
  spec.model.dimension = dimension;
  if (dimension == 0) spec.model.hash_bits = kHashBits;
  spec.learning.update = update;
  spec.forgetting.retention.events = 2 * kWindow;
  return Plan::Make(spec).value();
}

std::vector<Example> Events(std::int64_t dimension) {
  SplitMix random(1);
  std::vector<Example> events(kEvents);
  for (Example& event : events) {
    event.y = random.Uniform() < 0.5 ? -1 : 1;
    event.x.resize(dimension == 0 ? kFeatures : dimension);
    for (double& value : event.x) value = 2 * random.Uniform() - 1;
    event.x *= 0.99 / event.x.norm();
    for (int i = 0; dimension == 0 && i < kFeatures; ++i) {
      const double places = std::ldexp(1.0, kHashBits) / kFeatures;
      event.at.push_back(static_cast<std::uint32_t>(places * (i + random.Uniform())));
    }
  }
  return events;
}

void BM_Learn(benchmark::State& state, UpdateKind update) {
  const Plan plan = PlanOf(update, state.range(0));
  const std::vector<Example> events = Events(state.range(0));
  OnlineRun run =
      NewOnlineRun(plan.spec, plan.constants, plan.schedule, Ledger::Account::kStepsOnly);
  std::size_t next = 0;
  for (auto _ : state) {
    run.Prefetch(events[(next + kAhead) % kEvents]);
    benchmark::DoNotOptimize(run.Learn(events[next++ % kEvents]));
  }
}

// Deletions of events of any age, in a run of one and a half windows.
void BM_Rewind(benchmark::State& state, UpdateKind update) {
  const Plan plan = PlanOf(update, state.range(0));
  const std::vector<Example> events = Events(state.range(0));
  SeededRandom noise(1);
  MemoryPayloads payloads;
  const auto mode = MakeUnlearner(plan, {0}, noise, payloads);
  std::int64_t learned = 0;
  for (; learned < kWindow + kWindow / 2; ++learned) {
    mode->Learn(events[static_cast<std::size_t>(learned) % kEvents]);
  }
  double share = 0.5;
  const std::int64_t before = mode->DeletionGradients();
  for (auto _ : state) {
    share = std::fmod(share + (std::sqrt(5.0) - 1) / 2, 1);
    const Target target{{static_cast<std::int64_t>(share * static_cast<double>(learned))}, {}};
    mode->Release({&target, 1});
    benchmark::DoNotOptimize(mode->Forget({&target, 1}).value());
  }
  state.counters["relearned"] = static_cast<double>(mode->DeletionGradients() - before) /
                                static_cast<double>(state.iterations());
}

void Models(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("d")->Arg(20)->Arg(100)->Arg(0);
}

#define LETHE_BENCH_RULE(name, kind)                                  \
  BENCHMARK_CAPTURE(BM_Learn, name, UpdateKind::kind)->Apply(Models); \
  BENCHMARK_CAPTURE(BM_Rewind, name, UpdateKind::kind)                \
      ->Apply(Models)                                                 \
      ->Iterations(15)                                                \
      ->Unit(benchmark::kMillisecond)

LETHE_BENCH_RULE(sgd, kSgd);
LETHE_BENCH_RULE(adagrad, kAdagrad);
LETHE_BENCH_RULE(ftrl, kFtrl);
LETHE_BENCH_RULE(normalised, kNormalised);

}  // namespace
}  // namespace lethe
