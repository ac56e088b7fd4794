// From a real broker to durable state, against a consumer that does nothing but count, on the same
// topic and in the same run. LETHE_BROKER names the broker; `./dev bench pipeline` starts one.

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>

#include <benchmark/benchmark.h>

#include "app/run/shard_worker.h"
#include "connectors/kafka/admin.h"
#include "connectors/kafka/bare.h"
#include "connectors/kafka/cluster.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "connectors/system/system_clock.h"

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

// Everything that `lethe run` does for one shard, with a new state, exactly once.
void BM_Pipeline(benchmark::State& state) {
  const Filled& filled = Topic(state.range(0), state.range(1));
  Config config;
  config.spec.model.dimension = state.range(0);
  config.spec.topic = filled.topic;
  const auto folder = std::filesystem::temp_directory_path() / ("lethe-" + filled.topic);
  config.state.path = folder.string();
  const Plan plan = Plan::Make(config.spec).value();
  for (auto _ : state) {
    std::filesystem::remove_all(folder);
    SystemClock clock;
    SodiumHasher hasher;
    SystemRandom random;
    Board board({});
    PipelineMetrics metrics(board, "bench");
    const std::atomic<bool> stopping{false};
    auto folder_of_state = StateFolder::Open(config.state.path).value();
    const auto signer = ReceiptSigner::Open(config.state.path).value();
    Publisher publisher(config, nullptr, *signer, stopping);
    auto cluster = KafkaCluster::Open(Settings(), {}).value();
    Router router(config, 1, *cluster, publisher);
    router.AddShard({0});
    ShardWorker worker(
        {config, plan, hasher, random, clock, board, metrics, publisher, *signer, router, stopping},
        ShardFolder::Open(*folder_of_state, {0}, random, hasher).value());
    Witness witness(config, *cluster, cluster->ClusterId(kPatience).value(), 1, {});
    Status status = worker.Prepare(witness);
    const std::int64_t start = clock.MonotonicNs();
    auto consumer = KafkaConsumer::Start(Settings(), filled.topic, {worker.assignment()}, {},
                                         {.keep_values = false})
                        .value();
    if (status.ok()) status = worker.Run(*consumer, filled.range.next);
    const double seconds = static_cast<double>(clock.MonotonicNs() - start) * 1e-9;
    if (!status.ok()) return state.SkipWithError(status.message().c_str());
    state.SetIterationTime(seconds);
    state.SetItemsProcessed(filled.range.next.value - filled.range.first.value);
    consumer->Stop();
    if (state.range(1) == 0) continue;
    // From consumed to durable: the histogram that Prometheus sees.
    const std::string text = metrics.Text();
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
  std::filesystem::remove_all(folder);
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

}  // namespace
}  // namespace lethe
