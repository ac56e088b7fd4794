// From a real broker to durable state, against a consumer that does nothing but count, on the same
// topic and in the same run. LETHE_BROKER names the broker; `./dev bench pipeline` starts one.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "app/run/facts.h"
#include "app/run/shard_worker.h"
#include "connectors/kafka/admin.h"
#include "connectors/kafka/bare.h"
#include "connectors/kafka/cluster.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "connectors/system/system_clock.h"
#include "metrics/download.h"
#include "metrics/http_server.h"

namespace lethe {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{60'000};

KafkaSettings Settings() {
  const char* broker = std::getenv("LETHE_BROKER");
  if (broker == nullptr) {
    std::fprintf(stderr, "set LETHE_BROKER, or use ./dev bench pipeline\n");
    std::exit(64);
  }
  return {.brokers = broker, .properties = {}};
}

std::int64_t Events(std::int64_t dimension) { return dimension > 50 ? 400'000 : 1'000'000; }

// Numbers of six digits, as people send them.
std::string LearnEvent(std::int64_t number, std::int64_t dimension, std::mt19937_64& random) {
  std::string text = "{\"type\":\"learn\",\"id\":\"e-" + std::to_string(number) + "\",\"x\":[";
  char digits[16];
  for (std::int64_t i = 0; i < dimension; ++i) {
    std::snprintf(digits, sizeof digits, "%s%.6f", i == 0 ? "" : ",",
                  (static_cast<double>(random() % 2'000'001) / 1e6 - 1) * 0.09);
    text += digits;
  }
  return text + "],\"y\":" + (random() % 2 == 0 ? "1}" : "-1}");
}

// A topic with that many events, and one request in `deletions` of them; made once.
struct Filled {
  std::string topic;
  OffsetRange range;
};
const Filled& Topic(std::int64_t dimension, std::int64_t one_deletion_in) {
  static std::map<std::pair<std::int64_t, std::int64_t>, Filled> topics;
  Filled& filled = topics[{dimension, one_deletion_in}];
  if (!filled.topic.empty()) return filled;
  filled.topic = "bench-" + std::to_string(getpid()) + "-" + std::to_string(dimension) + "-" +
                 std::to_string(one_deletion_in);
  std::fprintf(stderr, "filling %s\n", filled.topic.c_str());
  auto admin = KafkaAdmin::Open(Settings(), {}).value();
  if (!admin->CreateTopic(filled.topic, 1, {}, kPatience).ok()) std::abort();
  auto producer = KafkaProducer::Start(Settings(), {}).value();
  std::mt19937_64 random(1);
  for (std::int64_t i = 0; i < Events(dimension); ++i) {
    OutMessage message{filled.topic, 0, "user-" + std::to_string(random() % 100'000), {}, {}};
    message.value = LearnEvent(i, dimension, random);
    if (!producer->Send(message, {}, kPatience).ok()) std::abort();
    if (one_deletion_in == 0 || i % one_deletion_in != one_deletion_in - 1) continue;
    message.value = "{\"type\":\"delete\",\"id\":\"e-" + std::to_string(random() % i) + "\"}";
    if (!producer->Send(message, {}, kPatience).ok()) std::abort();
  }
  if (!producer->Flush(kPatience).ok()) std::abort();
  filled.range =
      KafkaCluster::Open(Settings(), {}).value()->Range(filled.topic, 0, kPatience).value();
  return filled;
}

void BM_BareConsumer(benchmark::State& state) {
  const Filled& filled = Topic(state.range(0), 0);
  for (auto _ : state) {
    const auto count = CountMessages(Settings(), filled.topic, 0, filled.range.first,
                                     filled.range.next, milliseconds(10'000));
    if (!count.ok()) return state.SkipWithError(count.status().message().c_str());
    state.SetIterationTime(count.value().seconds);
    state.SetItemsProcessed(count.value().messages);
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

// What a deletion took from consumed to durable: the histogram that Prometheus sees.
void PrintErasures(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line.find("lethe_erasure_duration_seconds_bucket") == 0 &&
        line.find("effective") != std::string::npos) {
      std::fprintf(stderr, "%s\n", line.c_str());
    }
    at = end + 1;
  }
}

// Everything that `lethe run` does for one shard, with a new state, exactly once; with the HTTP
// surface and its visitors if wanted.
struct Took {
  double seconds = 0;
  double processor_seconds = 0;  // of the whole process, which other programs do not change
};
Result<Took> RunPipeline(const Filled& filled, std::int64_t dimension, bool is_watched,
                         bool print_erasures) {
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
  Board board(FactsOf(plan, hasher));
  PipelineMetrics metrics(board, "bench");
  ReceiptShelf shelf;
  const auto server = HttpServer::Start({.host = "127.0.0.1",
                                         .port = 0,
                                         .token = {},
                                         .hasher = &hasher,
                                         .extras = {.receipts = &shelf}},
                                        board, metrics)
                          .value();
  const std::atomic<bool> stopping{false};
  auto folder_of_state = StateFolder::Open(config.state.path).value();
  const auto signer = ReceiptSigner::Open(config.state.path).value();
  Publisher publisher(config, nullptr, *signer, stopping, &shelf);
  auto cluster = KafkaCluster::Open(Settings(), {}).value();
  Router router(config, 1, *cluster, publisher);
  router.AddShard({0});
  ShardWorker worker(
      {config, plan, hasher, random, clock, board, metrics, publisher, *signer, router, stopping},
      ShardFolder::Open(*folder_of_state, {0}, random, hasher).value());
  Witness witness(config, *cluster, cluster->ClusterId(kPatience).value(), 1, {});
  LETHE_RETURN_IF_ERROR(worker.Prepare(witness));
  std::vector<std::unique_ptr<Visitor>> visitors;
  if (is_watched) visitors = Visitors(server->url());
  const std::int64_t start = clock.MonotonicNs();
  const std::clock_t processor_start = std::clock();
  auto consumer = KafkaConsumer::Start(Settings(), filled.topic, {worker.assignment()}, {},
                                       {.keep_values = false})
                      .value();
  LETHE_RETURN_IF_ERROR(worker.Run(*consumer, filled.range.next));
  const Took took{
      .seconds = static_cast<double>(clock.MonotonicNs() - start) * 1e-9,
      .processor_seconds = static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC};
  consumer->Stop();
  if (print_erasures) PrintErasures(metrics.Text());
  std::filesystem::remove_all(folder);
  return took;
}

void BM_Pipeline(benchmark::State& state) {
  const Filled& filled = Topic(state.range(0), state.range(1));
  for (auto _ : state) {
    const auto took = RunPipeline(filled, state.range(0), false, state.range(1) != 0);
    if (!took.ok()) return state.SkipWithError(took.status().message().c_str());
    state.SetIterationTime(took.value().seconds);
    state.SetItemsProcessed(filled.range.next.value - filled.range.first.value);
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
  const Filled& filled = Topic(state.range(0), state.range(1));
  const auto records = static_cast<double>(filled.range.next.value - filled.range.first.value);
  for (auto _ : state) {
    std::vector<double> rates[2];
    std::vector<double> ratios;
    std::vector<double> processor_ratios;
    double total = 0;
    for (int round = 0; round < kRounds; ++round) {
      Took took[2];
      for (const int is_watched : {round % 2, 1 - round % 2}) {
        const auto run = RunPipeline(filled, state.range(0), is_watched == 1, false);
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

BENCHMARK(BM_BareConsumer)
    ->ArgNames({"d"})
    ->Args({20})
    ->Args({100})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Pipeline)
    ->ArgNames({"d", "one_deletion_in"})
    ->Args({20, 0})
    ->Args({100, 0})
    ->Args({20, 100})
    ->Args({100, 100})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

BENCHMARK(BM_Watched)
    ->ArgNames({"d", "one_deletion_in"})
    ->Args({20, 0})
    ->Args({20, 100})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lethe
