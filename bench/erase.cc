// How long it takes until the bytes of deleted events are off the disk, against how many events the
// state holds and which of them are deleted; and what erasing does to the rate of learning.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>

#include <benchmark/benchmark.h>

#include "app/run/live_probe.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "engine/shard.h"
#include "state/shard_folder.h"

namespace lethe {
namespace {

constexpr std::int64_t kDimension = 20;
constexpr std::int64_t kEventsPerCommit = 10'000;

class NoSink final : public Sink {
 public:
  Status Publish(ShardId, ChainKind, std::string_view) override { return Status::Ok(); }
};

// A shard on disk, fed with events that need no decoding.
class Bed {
 public:
  explicit Bed(const char* mode)
      : folder_path_(std::filesystem::temp_directory_path() /
                     ("lethe-erase-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_path_);
    Spec spec;
    spec.model.dimension = kDimension;
    spec.forgetting.mode = mode;
    plan_ = Plan::Make(spec).value();
    folder_ = StateFolder::Open(folder_path_.string()).value();
    shard_folder_ = ShardFolder::Open(*folder_, {0}, random_, hasher_).value();
    shard_ = std::make_unique<Shard>(
        plan_.value(), shard_folder_->identity(),
        ShardPorts{state(), state().payloads(), sink_, probe_, hasher_, random_});
    record_.event.x.resize(kDimension);
    record_.timestamp = {1};
  }
  ~Bed() {
    shard_.reset();
    shard_folder_.reset();
    folder_.reset();
    std::filesystem::remove_all(folder_path_);
  }

  DurableState& state() { return shard_folder_->state(); }
  std::int64_t learned() const { return shard_->counters().learned; }

  void Learn(std::int64_t count) {
    record_.event.kind = EventKind::kLearn;
    record_.event.y = 1;
    for (; count > 0; --count) {
      for (double& x : record_.event.x) x = 1e-10 * static_cast<double>(random64_() >> 32) - 0.2;
      Take(learned());
      if (learned() % kEventsPerCommit == 0) Must(shard_->Commit());
    }
  }

  // Takes the event out of the state as a deletion does. The model is not what is measured here.
  void Remove(std::int64_t index) {
    SodiumHasher hasher;
    const Names names(hasher, shard_folder_->identity());
    const auto event = state().FindId(names.Id(std::to_string(index)));
    if (!event) return;
    state().payloads().Remove(event->index);
    state().RemoveEvent(*event);
  }
  void Delete(std::int64_t index) {
    record_.event.kind = EventKind::kDelete;
    Take(index);
    Must(shard_->Commit());
  }
  void CommitState() { Must(state().Commit(true)); }
  void Erase() { Must(state().eraser().EraseAll()); }

 private:
  static void Must(const Status& status) {
    if (status.ok()) return;
    std::fprintf(stderr, "%s\n", status.message().c_str());
    std::exit(1);
  }
  void Take(std::int64_t id) {
    ++record_.offset.value;
    record_.event.id = std::to_string(id);
    record_.event.subject = "user-" + std::to_string(id % 1000);
    Must(shard_->Process(record_));
  }

  std::filesystem::path folder_path_;
  SodiumHasher hasher_;
  SystemRandom random_;
  NoSink sink_;
  LiveProbe probe_{Loss(LossKind::kLogistic, 1)};
  std::optional<Plan> plan_;
  std::unique_ptr<StateFolder> folder_;
  std::unique_ptr<ShardFolder> shard_folder_;
  std::unique_ptr<Shard> shard_;
  Record record_;
  std::mt19937_64 random64_{1};
};

enum Which { kOnePercent, kTenScattered, kHundredRecent };

void BM_Erase(benchmark::State& state, const char* mode) {
  Bed bed(mode);
  const std::int64_t events = state.range(0);
  bed.Learn(events);
  std::mt19937_64 random(2);
  for (auto _ : state) {
    state.PauseTiming();
    if (state.range(1) == kOnePercent) {
      for (std::int64_t i = 0; i < events / 100; ++i) {
        bed.Remove(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(events)));
      }
    } else if (state.range(1) == kTenScattered) {
      for (int i = 0; i < 10; ++i) {
        bed.Remove(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(events)));
      }
    } else {
      bed.Learn(kEventsPerCommit);  // or the recent ones would be gone in the second round
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
  Bed bed(mode);
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
    bed.Learn(kEventsPerCommit);
    bed.Delete(static_cast<std::int64_t>(random() % 1'000'000));
  }
  done = true;
  eraser.join();
  state.SetItemsProcessed(state.iterations() * kEventsPerCommit);
  state.counters["rounds"] = static_cast<double>(rounds);
}

BENCHMARK_CAPTURE(BM_Erase, passive, "passive")
    ->ArgNames({"events", "which"})
    ->ArgsProduct({{100'000, 1'000'000, 10'000'000}, {kOnePercent, kTenScattered, kHundredRecent}})
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Erase, active, "active")
    ->ArgNames({"events", "which"})
    ->ArgsProduct({{100'000, 1'000'000, 10'000'000}, {kOnePercent, kTenScattered, kHundredRecent}})
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_LearnWhileErasing, passive, "passive")
    ->ArgName("pause_ms")
    ->Arg(0)
    ->Arg(1000)
    ->Arg(5000)
    ->Iterations(500)
    ->UseRealTime();

}  // namespace
}  // namespace lethe
