#include "app/demo/demo_stream.h"

#include <chrono>

#include "app/run/kafka_erasure_gateway.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{50};
constexpr int kEventsPerTick = 12;
constexpr int kTicksPerRequest = 200;  // ten seconds
constexpr int kFirstRequest = 80;
constexpr int kEventsPerBad = 2000;
// The truth turns by a right angle in about a minute, and the stream lasts longer than anybody
// watches.
constexpr std::int64_t kEvents = 100'000'000;
constexpr double kDrift = 10'000;

}  // namespace

DemoStream::DemoStream(std::string topic, KafkaProducer& producer, DemoPeople& people, Clock& clock)
    : topic_(std::move(topic)),
      producer_(producer),
      people_(people),
      random_(static_cast<std::uint64_t>(clock.NowMs())),
      source_({.task = Task::kClassification,
               .events = kEvents,
               .dimension = kDimension,
               .drift = kDrift,
               .subjects = 0},
              random_),
      thread_([this] { Run(); }) {}

DemoStream::~DemoStream() {
  stopping_ = true;
  thread_.join();
}

void DemoStream::Run() {
  auto next = std::chrono::steady_clock::now();
  for (int tick = 1; !stopping_; ++tick) {
    for (int i = 0; i < kEventsPerTick; ++i) Learn();
    if (tick % kTicksPerRequest == kFirstRequest) Forget();
    next += kTick;
    std::this_thread::sleep_until(next);
  }
}

void DemoStream::Send(OutMessage message) {
  // An event that is lost does not matter in a demonstration.
  static_cast<void>(producer_.Send(message, {}, kTick));
}

void DemoStream::Learn() {
  if (++events_ % kEventsPerBad == 0) return SendBad();
  const auto found = source_.Next(sample_);
  if (!found.ok() || !found.value()) return;
  JsonWriter json;
  json.BeginObject().Field("type", "learn").Field("id", "e-" + std::to_string(events_));
  json.Key("x").BeginArray();
  for (const double value : sample_.x) json.Value(value);
  json.EndArray().Field("y", sample_.y).EndObject();
  Send({.topic = topic_,
        .partition = {},
        .key = people_.Any(random_),
        .value = json.text(),
        .headers = {}});
}

void DemoStream::SendBad() {
  static constexpr const char* kBad[] = {R"({"type":"learn","x":[1,2,3],"y":1})",
                                         R"({"type":"learn","x":[9,9,9,9,9,9,9,9,9,9,9,9],"y":1})",
                                         R"({"type":"learn","x":)"};
  Send({.topic = topic_,
        .partition = {},
        .key = people_.Any(random_),
        .value = kBad[random_.Below(std::size(kBad))],
        .headers = {}});
}

void DemoStream::Forget() {
  const std::string name = people_.Any(random_);
  people_.Leave(name);
  Send(DeleteMessage(topic_, name, "demo-" + std::to_string(++requests_)));
}

}  // namespace lethe
