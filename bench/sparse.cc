// What a learn step costs on hashed features, against the number of features in the event and the
// number of weights, and next to a dense step.
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/admission/event_validator.h"
#include "engine/modes/online_unlearner.h"
#include "engine/plan.h"

namespace lethe {
namespace {

constexpr std::size_t kEvents = 4096;  // a power of two
constexpr std::size_t kAhead = 8;

Plan PlanOf(const ModelSpec& model) {
  Spec spec;
  spec.model = model;
  spec.forgetting.mode = "passive";
  return Plan::Make(spec).value();
}

// Names that hash to uniform places, which is the worst for caches.
Event NamedEvent(std::mt19937_64& random, std::int64_t features) {
  Event event;
  event.y = random() % 3 == 0 ? 1 : -1;
  for (std::int64_t i = 0; i < features; ++i) {
    event.named.emplace_back("feature=" + std::to_string(random() % 1000000), 1e-2);
  }
  return event;
}

ModelSpec Hashed(std::int64_t bits) {
  ModelSpec model;
  model.hash_bits = bits;
  return model;
}

void LearnAll(benchmark::State& state, const Plan& plan, const std::vector<Example>& events) {
  OnlineRun run = NewOnlineRun(plan.spec, plan.constants, plan.schedule);
  std::size_t next = 0;
  for (auto _ : state) {
    run.Prefetch(events[(next + kAhead) & (kEvents - 1)]);
    benchmark::DoNotOptimize(run.Learn(events[next++ & (kEvents - 1)]));
  }
  state.SetItemsProcessed(state.iterations());
}

// Folds and sums of the norm, which go over all weights, are included: at lambda 0.01, where s
// halves in 18 events, and at 1e-6, where it hardly changes.
void BM_SparseLearn(benchmark::State& state, double lambda) {
  ModelSpec model = Hashed(state.range(1));
  model.lambda = lambda;
  const Plan plan = PlanOf(model);
  const EventValidator validator(plan.spec.model);
  std::mt19937_64 random(1);
  std::vector<Example> events(kEvents);
  for (Example& event : events) {
    if (validator.Admit(NamedEvent(random, state.range(0)), event)) state.SkipWithError("refused");
  }
  LearnAll(state, plan, events);
}
BENCHMARK_CAPTURE(BM_SparseLearn, default, 0.01)
    ->ArgNames({"features", "bits"})
    ->ArgsProduct({{10, 100}, {12, 18, 22}})
    ->Iterations(1 << 20);
BENCHMARK_CAPTURE(BM_SparseLearn, no_folds, 1e-6)
    ->ArgNames({"features", "bits"})
    ->ArgsProduct({{10, 100}, {12, 18, 22}})
    ->Iterations(1 << 20);

// What of that is memory alone: reads and writes the same weights, and does nothing else. An event
// begins when all weights of the last one are there, as a step needs its prediction. These are the
// misses of the caches and of the TLB, which nothing can avoid while features are at random places.
void BM_TouchWeights(benchmark::State& state) {
  const Plan plan = PlanOf(Hashed(state.range(1)));
  const EventValidator validator(plan.spec.model);
  std::mt19937_64 random(1);
  std::vector<Example> events(kEvents);
  for (Example& event : events) {
    if (validator.Admit(NamedEvent(random, state.range(0)), event)) state.SkipWithError("refused");
  }
  Vector weights = Vector::Zero(validator.input_dimension());
  std::size_t next = 0;
  for (auto _ : state) {
    const Example& event = events[next & (kEvents - 1)];
    double sum = 0;
    for (const std::uint32_t at : event.at) sum += weights[at];
    for (const std::uint32_t at : event.at) weights[at] -= sum;
    // Adds 1, once the sum is known.
    next += (std::bit_cast<std::uint64_t>(1 + 0 * sum) >> 52) - 1022;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_TouchWeights)
    ->ArgNames({"features", "bits"})
    ->ArgsProduct({{10, 100}, {12, 18, 22}})
    ->Iterations(1 << 20);

// One pass over all weights, as folding makes it.
void BM_FoldPass(benchmark::State& state) {
  Vector weights = Vector::Ones(std::int64_t{1} << state.range(0));
  for (auto _ : state) {
    weights = weights / 2.0 / 0.5;
    benchmark::DoNotOptimize(weights.data());
  }
}
BENCHMARK(BM_FoldPass)->ArgName("bits")->Arg(12)->Arg(18)->Arg(22)->Unit(benchmark::kMicrosecond);

void BM_DenseLearn(benchmark::State& state) {
  ModelSpec model;
  model.dimension = state.range(0);
  const Plan plan = PlanOf(model);
  std::vector<Example> events(kEvents);
  for (std::size_t i = 0; i < kEvents; ++i) {
    events[i].x = Vector::Random(model.dimension).normalized() * 0.99;
    events[i].y = i % 3 == 0 ? 1 : -1;
  }
  LearnAll(state, plan, events);
}
BENCHMARK(BM_DenseLearn)->ArgName("dimension")->Arg(20)->Arg(100)->Iterations(1 << 20);

// From names to an example: hashing, collisions, the norm.
void BM_ValidateNames(benchmark::State& state) {
  const EventValidator validator(Hashed(18));
  std::mt19937_64 random(1);
  const Event event = NamedEvent(random, state.range(0));
  Example example;
  for (auto _ : state) benchmark::DoNotOptimize(validator.Admit(event, example).has_value());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_ValidateNames)->ArgName("features")->Arg(10)->Arg(100);

}  // namespace
}  // namespace lethe
