// How fast records come out of a broker: KafkaConsumer, which decodes them, against librdkafka's
// own callback consumer, which only counts them. The clock stops at the last record. The rounds of
// the two alternate; the ratio of their medians is the figure to watch.
//
//   ./dev broker                                       in another terminal
//   ./dev bench consume HOST:PORT [EVENTS [ROUNDS]]

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/topics.h"
#include "connectors/kafka/consumer.h"
#include "tests/support/kafka/bare.h"
#include "tests/support/kafka/topics.h"

namespace lethe {
namespace {

using Clock = std::chrono::steady_clock;

struct Case {
  const char* name;
  Form form;
  int dimension;
};

// Seconds from the start of the consumer to the last record.
double Decode(const KafkaSettings& settings, const std::string& topic, std::int64_t events) {
  const auto began = Clock::now();
  auto consumer = KafkaConsumer::Start(settings, topic, {{0, Offset{0}}}, {}).value();
  MessageBatch batch;
  Record record;
  std::int64_t seen = 0;
  while (seen < events) {
    LETHE_CHECK(consumer->Read(0, kPatience, batch).value());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      batch.Decode(i, record);
      LETHE_CHECK(!record.rejection);
    }
    seen += static_cast<std::int64_t>(batch.size());
  }
  return std::chrono::duration<double>(Clock::now() - began).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void Run(const KafkaSettings& settings, const Case& of, std::int64_t events, int rounds) {
  const std::string topic =
      "bench-" + std::to_string(getpid()) + "-" + of.name + "-" + std::to_string(of.dimension);
  Fill(settings, {.topic = topic, .form = of.form, .dimension = of.dimension, .events = events});
  std::vector<double> bare;
  std::vector<double> ours;
  double bytes = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto count =
        CountMessages(settings, topic, 0, Offset{0}, Offset{events}, kPatience).value();
    LETHE_CHECK(count.messages == events);
    bytes = static_cast<double>(count.bytes) / static_cast<double>(events);
    bare.push_back(static_cast<double>(events) / count.seconds);
    ours.push_back(static_cast<double>(events) / Decode(settings, topic, events));
  }
  std::printf("%-8s %4d %7.0f %12.0f %12.0f %7.2f\n", of.name, of.dimension, bytes, Median(bare),
              Median(ours), Median(ours) / Median(bare));
  std::fflush(stdout);
  LETHE_CHECK(DeleteTopic(settings, topic, kPatience).ok());
}

}  // namespace
}  // namespace lethe

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::puts("consume: needs a broker; ./dev broker runs one, then ./dev bench consume HOST:PORT");
    return 0;
  }
  const std::int64_t events = argc > 2 ? std::atoll(argv[2]) : 300'000;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  std::printf("%-8s %4s %7s %12s %12s %7s\n", "form", "d", "bytes", "bare/s", "decoded/s", "ratio");
  for (const lethe::Case& of : {lethe::Case{"json", lethe::Form::kJson, 20},
                                {"json", lethe::Form::kJson, 100},
                                {"float32", lethe::Form::kFloat32, 20},
                                {"float32", lethe::Form::kFloat32, 100}}) {
    lethe::Run({argv[1], {}}, of, events, rounds);
  }
}
