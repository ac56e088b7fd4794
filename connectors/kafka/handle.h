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

// Called inside rd_kafka_poll for each message that was delivered or has failed. The last argument
// is unused.
using DeliveryFunction = void (*)(rd_kafka_s*, const rd_kafka_message_s*, void*);

// A librdkafka instance whose log lines and errors go to a KafkaLog. Thread-safe. Topics and queues
// of the instance must be destroyed before the handle. Only opening it can fail.
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

  // A kUnavailable status: `what`, the brokers that did not answer in time, and the last error.
  Status Unavailable(const std::string& what);

  // The contact to the brokers, as known from statistics.interval.ms and from NoteAnswer. Without
  // either, the silence counts from the opening of the handle.
  BrokerContact contact() const;
  // Records that a broker has just answered a request.
  void NoteAnswer();

  // Callbacks of librdkafka. OnLog runs in librdkafka's threads, the others inside rd_kafka_poll.
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

// A topic object with the properties of the handle, to be destroyed before the handle. kConfig for
// an invalid name. The topic need not exist.
Result<Topic> OpenTopic(Handle& handle, const std::string& name);

}  // namespace lethe::kafka
