#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "connectors/kafka/conf.h"
#include "connectors/kafka/contact.h"
#include "connectors/kafka/log.h"
#include "connectors/kafka/settings.h"
#include "engine/base/status.h"

struct rd_kafka_s;
struct rd_kafka_message_s;
struct rd_kafka_topic_s;

namespace lethe::kafka {

// Called by rd_kafka_poll for a message that was delivered or failed; the last argument is unused.
using DeliveryFunction = void (*)(rd_kafka_s*, const rd_kafka_message_s*, void*);

// A librdkafka instance, with what it says led to a KafkaLog. Thread-safe, as librdkafka is.
class Handle {
 public:
  // kConfig when librdkafka refuses the settings. Does not wait for a broker.
  static Result<std::unique_ptr<Handle>> OpenConsumer(const KafkaSettings& settings,
                                                      Properties defaults, const Properties& fixed,
                                                      KafkaLog log);
  static Result<std::unique_ptr<Handle>> OpenProducer(const KafkaSettings& settings,
                                                      Properties defaults, const Properties& fixed,
                                                      KafkaLog log, DeliveryFunction delivered);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  rd_kafka_s* get() const { return kafka_; }
  RateLimitedLog& log() { return log_; }

  // "no answer from BROKERS within ...: the last thing that went wrong".
  Status Unavailable(const std::string& what);

  // What is known of the brokers, from statistics.interval.ms and from NoteAnswer. Without either,
  // the silence lasts since the handle was opened.
  BrokerContact contact() const;
  // A broker has answered a question of ours just now.
  void NoteAnswer();

  // For the callbacks of librdkafka.
  void OnError(int error, const char* reason);
  void OnLog(int level, const char* facility, const char* text);
  void OnStatistics(std::string_view json);

 private:
  Handle(std::string brokers, KafkaLog log) : brokers_(std::move(brokers)), log_(std::move(log)) {}

  static Result<std::unique_ptr<Handle>> Open(bool producer, const KafkaSettings& settings,
                                              Properties defaults, const Properties& fixed,
                                              KafkaLog log, DeliveryFunction delivered);

  const std::string brokers_;
  RateLimitedLog log_;
  rd_kafka_s* kafka_ = nullptr;
  mutable std::mutex mutex_;
  std::string last_error_;
  std::optional<int> connected_;
  std::chrono::steady_clock::time_point heard_ = std::chrono::steady_clock::now();
};

struct TopicDeleter {
  void operator()(rd_kafka_topic_s* topic) const;
};
using Topic = std::unique_ptr<rd_kafka_topic_s, TopicDeleter>;

// A topic by name, with the properties of the handle. Says nothing about whether it exists.
Result<Topic> OpenTopic(Handle& handle, const std::string& name);

}  // namespace lethe::kafka
