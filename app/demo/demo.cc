#include "app/demo/demo.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/commands/load.h"
#include "app/config/print.h"
#include "app/demo/demo_folder.h"
#include "app/demo/demo_stream.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/run/connection.h"
#include "app/run/daemon.h"
#include "app/run/kafka_erasure_gateway.h"
#include "connectors/kafka/mock.h"
#include "connectors/system/system_clock.h"

namespace lethe {
namespace {

constexpr std::int32_t kPartitions = 2;
constexpr std::int64_t kEraseWithinMs = 8000;

Config DemoConfig(const DemoOptions& options, const std::string& state, const KafkaMock& mock) {
  Config config;
  config.spec.topic = "events";
  config.spec.model.dimension = DemoStream::kDimension;
  config.spec.learning.eta = 1;
  config.erasure.max_lag_ms = kEraseWithinMs;
  config.source.kafka.brokers = mock.brokers();
  // Silences librdkafka's warning that the mock broker is an old version.
  config.source.kafka.properties["log_level"] = "3";
  config.publish.receipts_topic = "receipts";
  config.publish.models_topic = "models";
  config.dead_letter.topic = "dead-letters";
  config.state.path = state;
  config.http.listen = "127.0.0.1:" + std::to_string(options.port);
  return config;
}

Status MakeTopics(const Config& config, KafkaMock& mock) {
  LETHE_RETURN_IF_ERROR(mock.CreateTopic(config.spec.topic, kPartitions));
  LETHE_RETURN_IF_ERROR(mock.CreateTopic(*config.publish.receipts_topic, 1));
  LETHE_RETURN_IF_ERROR(mock.CreateTopic(*config.publish.models_topic, 1));
  return mock.CreateTopic(*config.dead_letter.topic, 1);
}

// A gateway that also makes the person leave the stream: an event sent after the deletion would be
// learned again. Thread-safe. Borrows the gateway and the people.
class DemoGateway final : public ErasureGateway {
 public:
  DemoGateway(ErasureGateway& gateway, DemoPeople& people) : gateway_(gateway), people_(people) {}

  Result<std::string> Ask(const std::string& subject,
                          const std::optional<std::string>& reference) override {
    people_.Leave(subject);
    return gateway_.Ask(subject, reference.value_or("page-" + std::to_string(++asked_)));
  }
  std::vector<std::string> Suggestions() const override { return people_.names(); }

 private:
  ErasureGateway& gateway_;
  DemoPeople& people_;
  std::atomic<int> asked_{0};
};

// How to call this program from another terminal: by its name if it is installed, else by its path.
std::string ThisProgram() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error || path.parent_path() == "/usr/bin" ? "lethe" : path.string();
}

void Greet(const std::string& url, const Config& config, const std::string& file,
           const std::string& somebody) {
  std::printf(
      "Lethe learns from a stream of made-up people, and forgets those who ask.\n\n"
      "  open      %s/\n"
      "  look at   the sentence on top, the loss with a mark at each deletion, the receipts below\n"
      "  forget    the button on the page, or\n"
      "            %s forget %s --config %s\n"
      "            curl -H 'Content-Type: application/json' -d '{\"subject\":\"%s\"}' "
      "%s/v1/forget\n"
      "  receipts  curl %s/v1/receipts?limit=3\n"
      "  events    kcat -C -b %s -t %s -o end\n\n"
      "Ctrl-C stops.\n",
      url.c_str(), ThisProgram().c_str(), somebody.c_str(), file.c_str(), somebody.c_str(),
      url.c_str(), url.c_str(), config.source.kafka.brokers.c_str(), config.spec.topic.c_str());
  std::fflush(stdout);
}

// Interrupts the process when its time is over.
class Timer {
 public:
  explicit Timer(std::optional<double> seconds)
      : thread_([seconds](const std::stop_token& stop) {
          const auto start = std::chrono::steady_clock::now();
          while (seconds && !stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            if (std::chrono::steady_clock::now() - start >=
                std::chrono::duration<double>(*seconds)) {
              return Interrupt();
            }
          }
        }) {}

 private:
  std::jthread thread_;
};

Status Explained(const Status& status, const DemoOptions& options) {
  if (status.code() != ErrorCode::kUnavailable || options.port == 0 ||
      status.message().find("http.listen") == std::string::npos) {
    return status;
  }
  return {status.code(), "port " + std::to_string(options.port) +
                             " is taken, perhaps by another Lethe: lethe demo --port 0 takes a "
                             "free one"};
}

}  // namespace

Status RunDemo(const DemoOptions& options) {
  const auto folder = DemoFolder::Make(options.keep);
  if (!folder.ok()) return folder.status();
  const auto mock = KafkaMock::Start();
  if (!mock.ok()) return mock.status();
  const Config config = DemoConfig(options, folder.value()->path() + "/state", *mock.value());
  LETHE_RETURN_IF_ERROR(MakeTopics(config, *mock.value()));
  const auto plan = MakePlan(config, "demo");
  if (!plan.ok()) return plan.status();
  // A configuration file for commands such as `lethe forget` in another terminal.
  const std::string file = folder.value()->path() + "/lethe.yaml";
  if (!(std::ofstream(file) << PrintEffective(config)).flush()) {
    return {ErrorCode::kDisk, "cannot write " + file};
  }

  SystemClock clock;
  const KafkaLog log = [](const std::string& line) { LogWarning(line, {{"from", "demo"}}); };
  auto settings = MakeKafkaSettings(config.source.kafka);
  if (!settings.ok()) return settings.status();
  settings.value().properties["partitioner"] = config.source.kafka.partitioner;
  const auto producer = KafkaProducer::Start(settings.value(), log);
  if (!producer.ok()) return producer.status();
  const auto gateway = KafkaErasureGateway::Open(config, settings.value(), log, clock);
  if (!gateway.ok()) return gateway.status();

  DemoPeople people;
  DemoGateway demo_gateway(*gateway.value(), people);
  const DemoStream stream(config.spec.topic, *producer.value(), people, clock);
  const Timer timer(options.seconds);
  const RunOptions run{.web_root = options.web_root,
                       .ask_for_limits = false,
                       .open_gateway = &demo_gateway,
                       .on_listening = [&](const std::string& url) {
                         Greet(url, config, file, people.names().back());
                       }};
  return Explained(RunDaemon(config, plan.value(), run), options);
}

}  // namespace lethe
