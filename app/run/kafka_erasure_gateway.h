#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "app/config/config.h"
#include "connectors/kafka/producer.h"
#include "engine/ports/clock.h"
#include "http/erasure_gateway.h"

namespace lethe {

// The gateway behind POST /v1/forget: it produces a delete event to the source topic, with the
// configured partitioner, so that the event reaches the shard that learned the person's events.
// Thread-safe. Owns its producer and borrows the clock.
class KafkaErasureGateway final : public ErasureGateway {
 public:
  // Does not wait for a broker. kConfig if librdkafka refuses the settings.
  static Result<std::unique_ptr<KafkaErasureGateway>> Open(const Config& config,
                                                           KafkaSettings settings, KafkaLog log,
                                                           Clock& clock);

  // Returns the reference of the request once a broker has it; makes one up if `reference` is
  // empty. kUnavailable if no broker has acknowledged it in eight seconds; the message is then
  // still sent when a broker comes back.
  Result<std::string> Ask(const std::string& subject,
                          const std::optional<std::string>& reference) override;

 private:
  KafkaErasureGateway(std::string topic, std::unique_ptr<KafkaProducer> producer, Clock& clock)
      : topic_(std::move(topic)), clock_(clock), producer_(std::move(producer)) {}

  const std::string topic_;
  Clock& clock_;
  std::atomic<std::int64_t> asked_{0};
  const std::unique_ptr<KafkaProducer> producer_;
};

// The message of a delete event: {"type":"delete","subject":...,"request":...}, with its key.
OutMessage DeleteMessage(const std::string& topic, const std::string& subject,
                         const std::string& reference);

}  // namespace lethe
