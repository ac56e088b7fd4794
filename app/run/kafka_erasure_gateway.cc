#include "app/run/kafka_erasure_gateway.h"

#include <future>

#include "engine/base/json.h"

namespace lethe {
namespace {

constexpr std::chrono::milliseconds kPatience{8'000};

}  // namespace

OutMessage DeleteMessage(const std::string& topic, const std::string& subject,
                         const std::string& reference) {
  JsonWriter json;
  json.BeginObject().Field("type", "delete").Field("subject", subject);
  json.Field("request", reference).EndObject();
  return {.topic = topic, .partition = {}, .key = subject, .value = json.text(), .headers = {}};
}

Result<std::unique_ptr<KafkaErasureGateway>> KafkaErasureGateway::Open(const Config& config,
                                                                       KafkaSettings settings,
                                                                       KafkaLog log, Clock& clock) {
  settings.properties["partitioner"] = config.source.kafka.partitioner;
  auto producer = KafkaProducer::Start(settings, std::move(log));
  if (!producer.ok()) return producer.status();
  return std::unique_ptr<KafkaErasureGateway>(
      new KafkaErasureGateway(config.spec.topic, std::move(producer).value(), clock));
}

Result<std::string> KafkaErasureGateway::Ask(const std::string& subject,
                                             const std::optional<std::string>& reference) {
  const std::string name =
      reference.value_or("http-" + std::to_string(clock_.NowMs()) + "-" + std::to_string(++asked_));
  // Shared, because the answer may come after the time is over.
  auto delivered = std::make_shared<std::promise<Status>>();
  std::future<Status> answer = delivered->get_future();
  LETHE_RETURN_IF_ERROR(producer_->Send(
      DeleteMessage(topic_, subject, name),
      [delivered](const Status& status) { delivered->set_value(status); }, kPatience));
  if (answer.wait_for(kPatience) != std::future_status::ready) {
    return Status(ErrorCode::kUnavailable,
                  "the brokers have not acknowledged the request yet; it is sent when they are "
                  "back, as " +
                      name);
  }
  LETHE_RETURN_IF_ERROR(answer.get());
  return name;
}

}  // namespace lethe
