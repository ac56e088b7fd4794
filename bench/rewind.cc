// A deletion in mode rewind with a window of W events, and in mode retrain: how many events it
// learns again, and how long that takes, with payloads in memory, no shard, no disk. And a shard
// with its state on disk: what it has in memory and on disk after a long stream.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/shard_bed.h"
#include "connectors/system/sodium_random.h"
#include "engine/base/split_mix.h"
#include "engine/plan.h"
#include "engine/spec/rewind_cost.h"
#include "state/payloads/memory_payloads.h"

namespace lethe {
namespace {

constexpr std::int64_t kHashBits = 18;
constexpr int kFeatures = 15;          // of an event with hashed features
constexpr std::int64_t kRecent = 200;  // as `lethe generate --pattern recent`

// LETHE_BENCH_EVENTS makes all runs that long, to see whether it works.
std::int64_t Length(std::int64_t events) {
  const char* fewer = std::getenv("LETHE_BENCH_EVENTS");
  return fewer != nullptr ? std::atoll(fewer) : events;
}

// A run of a mode, long enough for deletions at its end. `dimension` 0: hashed features.
class Run {
 public:
  Run(const char* mode, std::int64_t window, std::int64_t dimension) {
    Spec spec;
    spec.forgetting.mode = mode;
    spec.forgetting.retention.events = 2 * window;
    spec.model.dimension = dimension;
    if (dimension == 0) spec.model.hash_bits = kHashBits;
    plan_ = std::make_unique<Plan>(Plan::Make(spec).value());
    unlearner_ = MakeUnlearner(*plan_, {0}, noise_, payloads_);
  }

  void Learn(std::int64_t count) {
    for (; count > 0; --count, ++learned_) {
      unlearner_->Learn(plan_->spec.model.hash_bits ? NewHashed() : NewDense());
    }
  }
  // Deletes one of the last `range` events. The ages of several deletions are spread evenly.
  void Forget(std::int64_t range) {
    share_ = std::fmod(share_ + (std::sqrt(5.0) - 1) / 2, 1);
    const auto age = static_cast<std::int64_t>(static_cast<double>(range) * share_);
    const Target target{{learned_ - 1 - age}, {}};
    unlearner_->Release({&target, 1});
    benchmark::DoNotOptimize(unlearner_->Forget({&target, 1}).value());
  }

  std::int64_t gradients() const { return unlearner_->DeletionGradients(); }
  std::int64_t in_run() const { return learned_ - unlearner_->anchor().value; }
  const Spec& spec() const { return plan_->spec; }
  double megabytes() const {
    return static_cast<double>(payloads_.bytes() + unlearner_->HeldBytes()) * 1e-6;
  }

 private:
  // A linear rule with noise. Numbers of a recording fit four bytes.
  Example NewDense() {
    Example example{Vector(plan_->spec.model.dimension), 1};
    const double scale = 0.99 / std::sqrt(static_cast<double>(example.x.size()));
    for (double& value : example.x) {
      value = static_cast<float>(scale * (2 * random_.Uniform() - 1));
    }
    if (example.x.sum() + 0.2 * (random_.Uniform() - 0.5) < 0) example.y = -1;
    return example;
  }
  Example NewHashed() {
    Example example{Vector::Constant(kFeatures, 0.99 / std::sqrt(double{kFeatures})), 1};
    std::uint32_t place = 0;
    for (int i = 0; i < kFeatures; ++i) {
      const double part = random_.Uniform() * ((1 << kHashBits) / kFeatures - 1);
      place = static_cast<std::uint32_t>(i * ((1 << kHashBits) / kFeatures) +
                                         static_cast<std::int64_t>(part));
      example.at.push_back(place);
    }
    if (place % 2 == 0) example.y = -1;
    return example;
  }

  std::unique_ptr<Plan> plan_;
  SeededRandom noise_{1};
  MemoryPayloads payloads_;
  SplitMix random_{1};
  std::unique_ptr<Unlearner> unlearner_;
  std::int64_t learned_ = 0;
  double share_ = 0.5;
};

// The age is uniform over the run (0), or one of the last 200 (1).
void Forget(benchmark::State& state, const char* mode) {
  const std::int64_t dimension = state.range(0);
  const std::int64_t window = Length(state.range(1));
  const bool is_recent = state.range(2) == 1;
  const bool is_all = std::string(mode) == "retrain";
  Run run(mode, is_all ? 0 : window, dimension);
  // A run of mode rewind is between W and 2 W long.
  run.Learn(is_all ? window : window + window / 2);
  const std::int64_t before = run.gradients();
  for (auto _ : state) {
    state.PauseTiming();
    run.Learn(37);  // so that the distance from the last checkpoint differs
    state.ResumeTiming();
    run.Forget(is_recent ? std::min(kRecent, run.in_run()) : run.in_run());
  }
  const auto deletions = static_cast<double>(state.iterations());
  state.counters["relearned"] = static_cast<double>(run.gradients() - before) / deletions;
  state.counters["megabytes"] = run.megabytes();
  state.counters["constant_ns"] = static_cast<double>(RewindNsPerPosition(run.spec()));
}

void Rewinds(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"d", "W", "recent"})->Unit(benchmark::kMillisecond);
  for (const std::int64_t dimension : {20, 100, 0}) {
    for (const std::int64_t window : {10'000, 100'000, 1'000'000}) {
      for (const std::int64_t recent : {0, 1}) benchmark->Args({dimension, window, recent});
    }
  }
  benchmark->Iterations(24);
}
BENCHMARK_CAPTURE(Forget, rewind, "rewind")->Apply(Rewinds);

void Retrains(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"d", "events", "recent"})->Unit(benchmark::kMillisecond)->Iterations(6);
  for (const std::int64_t recent : {0, 1}) {
    for (const std::int64_t dimension : {20, 100, 0}) {
      benchmark->Args({dimension, 1'000'000, recent});
    }
    benchmark->Args({20, 10'000'000, recent});
  }
}
BENCHMARK_CAPTURE(Forget, retrain, "retrain")->Apply(Retrains);

// What the process has resident, in bytes.
double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE));
}

// One shard with its state on disk, at 1, 2, 5, 10, ... times 10^5 events: memory and disk must not
// grow.
void Grow(benchmark::State& state) {
  constexpr std::int64_t kEventsPerMs = 10;
  const std::int64_t most = Length(1'000'000);
  ShardBed bed("rewind", 2, 20'000);
  for (auto _ : state) {
    std::int64_t mark = 100'000;
    for (int step = 0; mark <= most; mark = step++ % 3 == 1 ? mark / 2 * 5 : mark * 2) {
      bed.LearnInTime(mark - bed.learned(), kEventsPerMs);
      bed.Commit();
      bed.Flush();
      state.counters["memory_" + std::to_string(mark)] = ResidentBytes() * 1e-6;
      state.counters["disk_" + std::to_string(mark)] = static_cast<double>(bed.DiskBytes()) * 1e-6;
    }
  }
}
BENCHMARK(Grow)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lethe
