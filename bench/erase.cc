// How long it takes until the bytes of deleted events are off the disk, against how many events the
// state holds and which of them are deleted; and what erasing does to the rate of learning.
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include <benchmark/benchmark.h>

#include "bench/shard_bed.h"

namespace lethe {
namespace {

enum Which { kOnePercent, kTenScattered, kHundredRecent };

// Made once for all that is deleted from it; one at a time, since a large one fills the disk. Ends
// before main does: RocksDB has globals that it needs.
std::unique_ptr<ShardBed> bed;

ShardBed& BedWith(const char* mode, std::int64_t dimension, std::int64_t events) {
  static std::string made;
  const std::string wanted =
      mode + (" " + std::to_string(dimension)) + " " + std::to_string(events);
  if (made != wanted) {
    bed.reset();
    bed = std::make_unique<ShardBed>(mode, dimension);
    bed->Learn(events);
    bed->Commit();
    made = wanted;
  }
  return *bed;
}

void BM_Erase(benchmark::State& state, const char* mode) {
  const std::int64_t events = state.range(1);
  ShardBed& bed = BedWith(mode, state.range(0), events);
  std::mt19937_64 random(static_cast<std::uint64_t>(2 + state.range(2)));
  const auto remove_any = [&](std::int64_t count) {
    for (; count > 0; --count) {
      bed.Remove(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(events)));
    }
  };
  for (auto _ : state) {
    state.PauseTiming();
    if (state.range(2) == kOnePercent) {
      remove_any(events / 100);
    } else if (state.range(2) == kTenScattered) {
      remove_any(10);
    } else {
      bed.Learn(ShardBed::kEventsPerCommit);  // or they would be gone in the second round
      for (int i = 0; i < 100; ++i) bed.Remove(bed.learned() - 1 - i);
    }
    bed.CommitState();
    state.ResumeTiming();
    bed.Erase();
  }
}

// Learning at full rate with a deletion after every 10,000 events, and an eraser that has a pause
// of `pause` between two rounds; 0: there is none.
void BM_LearnWhileErasing(benchmark::State& state, const char* mode) {
  constexpr std::int64_t kEvents = 10'000;
  ShardBed bed(mode, 20);
  bed.Learn(1'000'000);
  std::atomic<bool> done{false};
  std::int64_t rounds = 0;
  std::thread eraser([&] {
    const auto pause = std::chrono::milliseconds(state.range(0));
    while (!done && pause.count() > 0) {
      bed.Erase();
      ++rounds;
      std::this_thread::sleep_for(pause);
    }
  });
  std::mt19937_64 random(2);
  for (auto _ : state) {
    bed.Learn(kEvents);
    bed.Delete(static_cast<std::int64_t>(random() % 1'000'000));
  }
  done = true;
  eraser.join();
  state.SetItemsProcessed(state.iterations() * kEvents);
  state.counters["rounds"] = static_cast<double>(rounds);
}

// Grouped by state, so that each is made once.
void Cases(benchmark::internal::Benchmark* benchmark, std::int64_t dimension,
           const std::vector<std::int64_t>& sizes) {
  for (const std::int64_t events : sizes) {
    for (const Which which : {kTenScattered, kHundredRecent, kOnePercent}) {
      benchmark->Args({dimension, events, which});
    }
  }
}
void Common(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"d", "events", "which"});
  benchmark->Iterations(3)->Unit(benchmark::kMillisecond)->UseRealTime();
}
void Sizes(benchmark::internal::Benchmark* benchmark) {
  Cases(benchmark, 20, {10'000, 100'000, 1'000'000, 10'000'000});
}
void WideSizes(benchmark::internal::Benchmark* benchmark) {
  Cases(benchmark, 100, {10'000, 1'000'000, 10'000'000});
}

BENCHMARK_CAPTURE(BM_Erase, passive, "passive")->Apply(Common)->Apply(Sizes);
BENCHMARK_CAPTURE(BM_Erase, active, "active")->Apply(Common)->Apply(Sizes)->Apply(WideSizes);
BENCHMARK_CAPTURE(BM_LearnWhileErasing, passive, "passive")
    ->ArgName("pause_ms")
    ->Arg(0)
    ->Arg(1000)
    ->Arg(5000)
    ->Iterations(500)
    ->UseRealTime();

}  // namespace
}  // namespace lethe

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  lethe::bed.reset();
}
