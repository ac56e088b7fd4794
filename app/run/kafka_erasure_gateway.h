#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "app/config/config.h"
#include "connectors/kafka/producer.h"
#include "engine/ports/clock.h"
#include "http/erasure_gateway.h"

namespace lethe {

// Produces a delete event to the source topic, placed as its producers place keys, so that it
// meets the shard that learned the person's events. Thread-safe.
class KafkaErasureGateway final : public ErasureGateway {
 public:
  // `clock` outlives this.
  static Result<std::unique_ptr<KafkaErasureGateway>> Open(const Config& config,
                                                           KafkaSettings settings, KafkaLog log,
                                                           Clock& clock);

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
