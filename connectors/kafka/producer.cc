#include "connectors/kafka/producer.h"

#include <librdkafka/rdkafka.h>

#include <array>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "connectors/kafka/errors.h"
#include "connectors/kafka/handle.h"
#include "connectors/kafka/produce.h"

namespace lethe {

namespace {

constexpr int kPollMs = 100;
constexpr std::chrono::milliseconds kFullWait{10};

const kafka::Properties& Fixed() {
  static const kafka::Properties properties = {
      {"enable.idempotence", "true"},
      {"acks", "all"},
      {"message.timeout.ms", "0"},
      {"enable.gapless.guarantee", "false"},
  };
  return properties;
}

const kafka::Properties& Defaults() {
  // A missing topic is reported after 3 seconds instead of 30.
  static const kafka::Properties properties = {{"topic.metadata.propagation.max.ms", "3000"}};
  return properties;
}

}  // namespace

struct KafkaProducer::Impl {
  // A message under way. librdkafka carries the pointer and hands it back with the report.
  struct Delivery {
    Impl* producer;
    std::string topic;
    std::int64_t number;
    OnDelivered on_delivered;
  };

  static void OnDelivered(rd_kafka_s*, const rd_kafka_message_s* message, void*) {
    std::unique_ptr<Delivery> delivery(static_cast<Delivery*>(message->_private));
    delivery->producer->Finish(*delivery, *message);
  }

  void Finish(const Delivery& delivery, const rd_kafka_message_s& message);
  Status NotSent(const std::string& topic, int error) const;
  // Whether no message below this number is under way. The mutex must be held.
  bool IsDone(std::int64_t number) const {
    return under_way.empty() || under_way.begin()->first >= number;
  }
  void Run();

  std::unique_ptr<kafka::Handle> handle;
  std::thread thread;

  mutable std::mutex mutex;
  std::condition_variable finished;
  // The time at which each message under way was queued, by its number. A Flush waits for the
  // numbers below the next one, and not for messages that other threads send meanwhile.
  std::map<std::int64_t, std::chrono::steady_clock::time_point> under_way;
  std::int64_t next = 0;
  Status first_failure;
  bool stopping = false;
};

Status KafkaProducer::Impl::NotSent(const std::string& topic, int error) const {
  std::array<char, 512> errstr{};
  // A fatal error ends all sending: the broker has lost the state that idempotence depends on.
  if (error == RD_KAFKA_RESP_ERR__FATAL) {
    rd_kafka_fatal_error(handle->get(), errstr.data(), errstr.size());
  }
  return kafka::FromError(error, "a message to topic \"" + topic + "\" was not sent",
                          errstr.data());
}

void KafkaProducer::Impl::Finish(const Delivery& delivery, const rd_kafka_message_s& message) {
  Status status;
  if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) status = NotSent(delivery.topic, message.err);
  if (delivery.on_delivered && status.ok()) {
    delivery.on_delivered(status, message.partition, Offset{message.offset});
  } else if (delivery.on_delivered) {
    delivery.on_delivered(status, -1, Offset{-1});
  }
  {
    std::lock_guard lock(mutex);
    if (!status.ok() && first_failure.ok()) first_failure = status;
    under_way.erase(delivery.number);
  }
  finished.notify_all();
}

void KafkaProducer::Impl::Run() {
  for (;;) {
    rd_kafka_poll(handle->get(), kPollMs);
    std::lock_guard lock(mutex);
    if (stopping && under_way.empty()) return;
  }
}

KafkaProducer::KafkaProducer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

KafkaProducer::~KafkaProducer() {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  rd_kafka_purge(impl_->handle->get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  impl_->thread.join();
}

Result<std::unique_ptr<KafkaProducer>> KafkaProducer::Start(const KafkaSettings& settings,
                                                            KafkaLog log) {
  auto handle =
      kafka::Handle::OpenProducer(settings, Defaults(), Fixed(), std::move(log), Impl::OnDelivered);
  if (!handle.ok()) return handle.status();
  auto impl = std::make_unique<Impl>();
  impl->handle = std::move(handle).value();
  impl->thread = std::thread([raw = impl.get()] { raw->Run(); });
  return std::unique_ptr<KafkaProducer>(new KafkaProducer(std::move(impl)));
}

Status KafkaProducer::Send(const OutMessage& message, OnDelivery on_delivery,
                           std::chrono::milliseconds timeout) {
  if (!on_delivery) return SendTracked(message, {}, timeout);
  return SendTracked(
      message,
      [report = std::move(on_delivery)](const Status& status, std::int32_t, Offset) {
        report(status);
      },
      timeout);
}

Status KafkaProducer::SendTracked(const OutMessage& message, OnDelivered on_delivered,
                                  std::chrono::milliseconds timeout) {
  const auto now = std::chrono::steady_clock::now();
  const auto deadline = now + timeout;
  auto delivery = std::make_unique<Impl::Delivery>();
  delivery->producer = impl_.get();
  delivery->topic = message.topic;
  delivery->on_delivered = std::move(on_delivered);
  std::unique_lock lock(impl_->mutex);
  const std::int64_t number = impl_->next++;
  delivery->number = number;
  // Entered before it is queued, because it may be delivered before Produce returns.
  impl_->under_way.emplace_hint(impl_->under_way.end(), number, now);
  for (;;) {
    lock.unlock();
    const int error = kafka::Produce(impl_->handle->get(), message, delivery.get());
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
      static_cast<void>(delivery.release());
      return Status::Ok();
    }
    lock.lock();
    const bool is_full = error == RD_KAFKA_RESP_ERR__QUEUE_FULL;
    if (is_full && std::chrono::steady_clock::now() < deadline) {
      // A short wait, because the last message may have finished before this wait began.
      impl_->finished.wait_for(lock, kFullWait);
      continue;
    }
    impl_->under_way.erase(number);
    lock.unlock();
    impl_->finished.notify_all();
    if (is_full) return impl_->handle->Unavailable("too many messages wait to be sent");
    return impl_->NotSent(message.topic, error);
  }
}

void KafkaProducer::FindLeaders(const std::string& topic, std::chrono::milliseconds timeout) {
  rd_kafka_topic_t* opened = rd_kafka_topic_new(impl_->handle->get(), topic.c_str(), nullptr);
  if (opened == nullptr) return;
  const rd_kafka_metadata_t* metadata = nullptr;
  const auto error = rd_kafka_metadata(impl_->handle->get(), 0, opened, &metadata,
                                       static_cast<int>(timeout.count()));
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) rd_kafka_metadata_destroy(metadata);
  rd_kafka_topic_destroy(opened);
}

Status KafkaProducer::Flush(std::chrono::milliseconds timeout) {
  std::unique_lock lock(impl_->mutex);
  const std::int64_t number = impl_->next;
  if (!impl_->finished.wait_for(lock, timeout, [&] { return impl_->IsDone(number); })) {
    const std::size_t left = impl_->under_way.size();
    lock.unlock();
    return impl_->handle->Unavailable(std::to_string(left) + " messages are not sent yet");
  }
  return std::exchange(impl_->first_failure, Status::Ok());
}

std::int64_t KafkaProducer::outstanding() const {
  std::lock_guard lock(impl_->mutex);
  return static_cast<std::int64_t>(impl_->under_way.size());
}

std::optional<std::chrono::milliseconds> KafkaProducer::oldest_age() const {
  std::lock_guard lock(impl_->mutex);
  if (impl_->under_way.empty()) return std::nullopt;
  const auto age = std::chrono::steady_clock::now() - impl_->under_way.begin()->second;
  return std::chrono::duration_cast<std::chrono::milliseconds>(age);
}

}  // namespace lethe
