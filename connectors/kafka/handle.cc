#include "connectors/kafka/handle.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace lethe::kafka {

namespace {

// Levels of syslog.
constexpr int kWarning = 4;
constexpr int kDebug = 7;

// The text without librdkafka's prefix "[thrd:NAME]: ".
std::string_view WithoutThread(std::string_view text) {
  constexpr std::string_view kEnd = "]: ";
  const std::size_t end = text.find(kEnd);
  if (!text.starts_with("[thrd:") || end == std::string_view::npos) return text;
  return text.substr(end + kEnd.size());
}

void ErrorCallback(rd_kafka_t*, int error, const char* reason, void* opaque) {
  static_cast<Handle*>(opaque)->OnError(error, reason);
}

void LogCallback(const rd_kafka_t* kafka, int level, const char* facility, const char* text) {
  auto* handle = static_cast<Handle*>(rd_kafka_opaque(kafka));
  if (handle != nullptr) handle->OnLog(level, facility, text);
}

// Returning 0 leaves the text to librdkafka, which frees it.
int StatisticsCallback(rd_kafka_t*, char* json, std::size_t size, void* opaque) {
  static_cast<Handle*>(opaque)->OnStatistics({json, size});
  return 0;
}

}  // namespace

void TopicDeleter::operator()(rd_kafka_topic_s* topic) const { rd_kafka_topic_destroy(topic); }

Result<Topic> OpenTopic(Handle& handle, const std::string& name) {
  Topic topic(rd_kafka_topic_new(handle.get(), name.c_str(), nullptr));
  if (topic != nullptr) return topic;
  return Status(ErrorCode::kConfig, "Kafka: \"" + name + "\" is no name of a topic");
}

Result<std::unique_ptr<Handle>> Handle::OpenConsumer(const KafkaSettings& settings,
                                                     Properties defaults, const Properties& fixed,
                                                     KafkaLog log) {
  return Open(false, settings, std::move(defaults), fixed, std::move(log), nullptr);
}

Result<std::unique_ptr<Handle>> Handle::OpenProducer(const KafkaSettings& settings,
                                                     Properties defaults, const Properties& fixed,
                                                     KafkaLog log, DeliveryFunction delivered) {
  return Open(true, settings, std::move(defaults), fixed, std::move(log), delivered);
}

Result<std::unique_ptr<Handle>> Handle::Open(bool producer, const KafkaSettings& settings,
                                             Properties defaults, const Properties& fixed,
                                             KafkaLog log, DeliveryFunction delivered) {
  defaults.emplace_back("client.id", "lethe");
  // Brokers close idle connections every ten minutes; that is normal and not logged.
  defaults.emplace_back("log.connection.close", "false");
  // Two seconds instead of ten, so that a broker that is back is noticed soon.
  defaults.emplace_back("reconnect.backoff.max.ms", "2000");
  auto conf = MakeConf(settings, defaults, fixed);
  if (!conf.ok()) return conf.status();
  std::unique_ptr<Handle> handle(new Handle(settings.brokers, std::move(log)));
  rd_kafka_conf_set_opaque(conf.value().get(), handle.get());
  rd_kafka_conf_set_error_cb(conf.value().get(), ErrorCallback);
  rd_kafka_conf_set_log_cb(conf.value().get(), LogCallback);
  rd_kafka_conf_set_stats_cb(conf.value().get(), StatisticsCallback);
  if (delivered != nullptr) rd_kafka_conf_set_dr_msg_cb(conf.value().get(), delivered);
  std::array<char, 512> errstr{};
  handle->kafka_ = rd_kafka_new(producer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER,
                                conf.value().get(), errstr.data(), errstr.size());
  if (handle->kafka_ == nullptr) {
    return Status(ErrorCode::kConfig, "Kafka: " + std::string(errstr.data()));
  }
  // The instance owns the configuration now.
  static_cast<void>(conf.value().release());
  return handle;
}

Handle::~Handle() {
  // There is no subscription, so there is no group to leave and nothing to wait for.
  if (kafka_ != nullptr) rd_kafka_destroy_flags(kafka_, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

Status Handle::Unavailable(const std::string& what) {
  std::lock_guard lock(mutex_);
  std::string message = "Kafka: " + what + ": no answer from " + brokers_ + " in time";
  if (!last_error_.empty()) message += "; the last error was: " + last_error_;
  return {ErrorCode::kUnavailable, std::move(message)};
}

void Handle::OnError(int error, const char* reason) {
  std::string text = reason != nullptr ? reason : "";
  if (const std::size_t at = text.rfind(" (after "); at != std::string::npos) text.resize(at);
  // "1/1 brokers are down" follows the error that caused it, which says more.
  if (error != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    std::lock_guard lock(mutex_);
    last_error_ = text;
  }
  log_.Tell("kafka: " + text);
}

BrokerContact Handle::contact() const {
  std::lock_guard lock(mutex_);
  const auto silence = std::chrono::steady_clock::now() - heard_;
  return {connected_, std::chrono::duration_cast<std::chrono::milliseconds>(silence), last_error_};
}

void Handle::NoteAnswer() {
  std::lock_guard lock(mutex_);
  heard_ = std::chrono::steady_clock::now();
}

void Handle::OnStatistics(std::string_view json) {
  const auto statistics = ReadBrokerStatistics(json);
  if (!statistics) return;
  std::lock_guard lock(mutex_);
  connected_ = statistics->connected;
  if (!statistics->silence) return;
  // The idle time of a new connection begins anew, so the later of both times is kept.
  heard_ = std::max(heard_, std::chrono::steady_clock::now() - *statistics->silence);
}

void Handle::OnLog(int level, const char* facility, const char* text) {
  // These lines exist only when the user has set the property `debug`.
  if (level >= kDebug) return log_.TellAlways(std::string("kafka: ") + facility + ": " + text);
  const std::string_view kind = facility;
  // CONFWARN: a property for consumers was given to a producer or the reverse, which is intended.
  // FAIL and ERROR: OnError logs the same event in better words.
  if (level > kWarning || kind == "CONFWARN" || kind == "FAIL" || kind == "ERROR") return;
  log_.Tell("kafka: " + std::string(WithoutThread(text)));
}

}  // namespace lethe::kafka
