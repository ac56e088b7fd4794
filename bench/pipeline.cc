// From a real broker to durable state, against a consumer that does nothing but count, on the same
// topic and in the same run. LETHE_BROKER names the broker; `./dev bench pipeline` starts one.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "app/run/pipeline_info.h"
#include "app/run/router_ports.h"
#include "app/run/shard_worker.h"
#include "bench/topics.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "connectors/system/system_clock.h"
#include "http/download.h"
#include "http/server.h"
#include "tests/support/kafka/bare.h"

namespace lethe {
namespace {

using std::chrono::milliseconds;

KafkaSettings Settings() {
  const char* broker = std::getenv("LETHE_BROKER");
  if (broker == nullptr) {
    std::fprintf(stderr, "set LETHE_BROKER, or use ./dev bench pipeline\n");
    std::exit(64);
  }
  return {.brokers = broker, .properties = {}};
}

// LETHE_BENCH_EVENTS makes streams shorter, to see whether all of it works.
std::int64_t Events(std::int64_t dimension) {
  const char* events = std::getenv("LETHE_BENCH_EVENTS");
  return events != nullptr ? std::atoll(events) : dimension > 50 ? 800'000 : 2'000'000;
}

// Which stream: its form, its dimension, and events for each request, or 0.
struct Which {
  explicit Which(const benchmark::State& state)
      : form(static_cast<Form>(state.range(0))),
        dimension(state.range(1)),
        one_deletion_in(state.range(2)) {}
  auto operator<=>(const Which&) const = default;

  Form form;
  std::int64_t dimension;
  std::int64_t one_deletion_in;
};

struct Filled {
  std::string topic;
  OffsetRange range;
};
// Made once, or, with a name for all in LETHE_BENCH_TOPICS, once for several processes.
const Filled& Topic(const Which& which) {
  static std::map<Which, Filled> topics;
  Filled& filled = topics[which];
  if (!filled.topic.empty()) return filled;
  const char* shared = std::getenv("LETHE_BENCH_TOPICS");
  filled.topic = shared != nullptr ? shared : "bench-" + std::to_string(getpid());
  for (const std::int64_t part :
       {static_cast<std::int64_t>(which.form), which.dimension, which.one_deletion_in}) {
    filled.topic += "-" + std::to_string(part);
  }
  const auto cluster = KafkaCluster::Open(Settings(), {}).value();
  if (!Patient([&] { return cluster->PartitionCount(filled.topic, kPatience); })) {
    Fill(Settings(), {.topic = filled.topic,
                      .form = which.form,
                      .dimension = which.dimension,
                      .events = Events(which.dimension),
                      .delete_every = which.one_deletion_in});
  }
  filled.range = Patient([&] { return cluster->Range(filled.topic, 0, kPatience); });
  return filled;
}

// Processor time of the whole process, which other programs do not change.
double ProcessorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void Tell(std::int64_t records, double seconds, double processor_seconds, benchmark::State& state) {
  state.counters["per_s"] = static_cast<double>(records) / seconds;
  state.counters["processor_ns"] = 1e9 * processor_seconds / static_cast<double>(records);
}

void BM_BareConsumer(benchmark::State& state) {
  const Filled& filled = Topic(Which(state));
  for (auto _ : state) {
    const double start = ProcessorSeconds();
    const auto count = CountMessages(Settings(), filled.topic, 0, filled.range.first,
                                     filled.range.next, milliseconds(10'000));
    if (!count.ok()) return state.SkipWithError(count.status().message().c_str());
    state.SetIterationTime(count.value().seconds);
    state.SetItemsProcessed(count.value().messages);
    Tell(count.value().messages, count.value().seconds, ProcessorSeconds() - start, state);
  }
}

// Somebody has the dashboard open, or a Prometheus scrapes: asks for these paths every second.
class Visitor {
 public:
  Visitor(std::string url, std::vector<std::string> paths)
      : thread_([this, url = std::move(url), paths = std::move(paths)] {
          while (!stop_) {
            for (const std::string& path : paths) {
              if (!Download(url, path, {}).ok()) failed_ = true;
            }
            for (int i = 0; i < 100 && !stop_; ++i) std::this_thread::sleep_for(milliseconds(10));
          }
        }) {}
  ~Visitor() {
    stop_ = true;
    thread_.join();
    if (failed_) std::fprintf(stderr, "a visitor got no answer\n");
  }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::atomic<bool> failed_{false};
  std::thread thread_;
};

std::vector<std::unique_ptr<Visitor>> Visitors(const std::string& url) {
  std::vector<std::unique_ptr<Visitor>> visitors;
  for (int i = 0; i < 5; ++i) {
    visitors.push_back(std::make_unique<Visitor>(
        url, std::vector<std::string>{"/v1/status", "/v1/shards", "/v1/receipts?limit=50"}));
  }
  visitors.push_back(std::make_unique<Visitor>(url, std::vector<std::string>{"/metrics"}));
  return visitors;
}

// Everything that `lethe run` does for one shard, with a new state, exactly once; with the HTTP
// surface and its visitors if wanted.
struct Took {
  double seconds = 0;
  double processor_seconds = 0;
};
Result<Took> RunPipeline(const Filled& filled, std::int64_t dimension, bool is_watched) {
  Config config;
  config.spec.model.dimension = dimension;
  config.spec.topic = filled.topic;
  const auto folder = std::filesystem::temp_directory_path() / ("lethe-" + filled.topic);
  config.state.path = folder.string();
  std::filesystem::remove_all(folder);
  const Plan plan = Plan::Make(config.spec).value();
  SystemClock clock;
  SodiumHasher hasher;
  SystemRandom random;
  PublishedState published(PipelineInfoOf(plan, hasher));
  PipelineMetrics metrics(published, "bench");
  RecentReceipts recent_receipts;
  const auto server = HttpServer::Start({.host = "127.0.0.1",
                                         .port = 0,
                                         .token = {},
                                         .hasher = &hasher,
                                         .extras = {.receipts = &recent_receipts}},
                                        published, metrics)
                          .value();
  const std::atomic<bool> stopping{false};
  auto folder_of_state = StateFolder::Open(config.state.path).value();
  const auto signer = ReceiptSigner::Open(config.state.path).value();
  Publisher publisher(config, nullptr, *signer, stopping, &recent_receipts);
  auto cluster = KafkaCluster::Open(Settings(), {}).value();
  Router router(config, 1, LivePorts(config, *cluster, publisher, stopping));
  router.AddShard({0});
  ShardWorker worker({config, plan, hasher, random, clock, published, metrics, publisher, *signer,
                      router, stopping},
                     ShardFolder::Open(*folder_of_state, {0}, random, hasher).value());
  StartupFence fence(config, *cluster, cluster->ClusterId(kPatience).value(), 1, {});
  LETHE_RETURN_IF_ERROR(worker.Prepare(fence));
  std::vector<std::unique_ptr<Visitor>> visitors;
  if (is_watched) visitors = Visitors(server->url());
  const std::int64_t start = clock.MonotonicNs();
  const double processor_start = ProcessorSeconds();
  auto consumer = KafkaConsumer::Start(Settings(), filled.topic, {worker.assignment()}, {},
                                       {.keep_values = false})
                      .value();
  LETHE_RETURN_IF_ERROR(worker.Run(*consumer, filled.range.next));
  const Took took{.seconds = static_cast<double>(clock.MonotonicNs() - start) * 1e-9,
                  .processor_seconds = ProcessorSeconds() - processor_start};
  consumer->Stop();
  std::filesystem::remove_all(folder);
  return took;
}

void BM_Pipeline(benchmark::State& state) {
  const Filled& filled = Topic(Which(state));
  for (auto _ : state) {
    const auto took = RunPipeline(filled, state.range(1), false);
    if (!took.ok()) return state.SkipWithError(took.status().message().c_str());
    const std::int64_t records = filled.range.next.value - filled.range.first.value;
    state.SetIterationTime(took.value().seconds);
    state.SetItemsProcessed(records);
    Tell(records, took.value().seconds, took.value().processor_seconds, state);
  }
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

// The same run alone and watched, in turn: the ratio is what the visitors cost. Several times over,
// since one run is hardly longer than the pause between two visits.
void BM_Watched(benchmark::State& state) {
  constexpr int kRounds = 8;
  const Filled& filled = Topic(Which(state));
  const auto records = static_cast<double>(filled.range.next.value - filled.range.first.value);
  for (auto _ : state) {
    std::vector<double> rates[2];
    std::vector<double> ratios;
    std::vector<double> processor_ratios;
    double total = 0;
    for (int round = 0; round < kRounds; ++round) {
      Took took[2];
      for (const int is_watched : {round % 2, 1 - round % 2}) {
        const auto run = RunPipeline(filled, state.range(1), is_watched == 1);
        if (!run.ok()) return state.SkipWithError(run.status().message().c_str());
        took[is_watched] = run.value();
        rates[is_watched].push_back(records / run.value().seconds);
        total += run.value().seconds;
      }
      ratios.push_back(took[0].seconds / took[1].seconds);
      processor_ratios.push_back(took[0].processor_seconds / took[1].processor_seconds);
    }
    state.SetIterationTime(total);
    state.counters["alone_per_s"] = Median(rates[0]);
    state.counters["watched_per_s"] = Median(rates[1]);
    state.counters["ratio"] = Median(ratios);
    state.counters["processor_ratio"] = Median(processor_ratios);
  }
}

void Cases(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"form", "d", "one_deletion_in"});
  benchmark->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
}
constexpr auto kJson = static_cast<std::int64_t>(Form::kJson);
constexpr auto kFloat32 = static_cast<std::int64_t>(Form::kFloat32);

BENCHMARK(BM_BareConsumer)
    ->Apply(Cases)
    ->Args({kJson, 20, 0})
    ->Args({kJson, 100, 0})
    ->Args({kFloat32, 20, 0})
    ->Args({kFloat32, 100, 0});
BENCHMARK(BM_Pipeline)
    ->Apply(Cases)
    ->Args({kJson, 20, 0})
    ->Args({kJson, 100, 0})
    ->Args({kFloat32, 20, 0})
    ->Args({kFloat32, 100, 0})
    ->Args({kJson, 20, 100})
    ->Args({kJson, 100, 100});
BENCHMARK(BM_Watched)->Apply(Cases)->Args({kJson, 20, 0})->Args({kJson, 20, 100});

}  // namespace
}  // namespace lethe
