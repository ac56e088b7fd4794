#include "connectors/kafka/admin.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <utility>

#include "connectors/kafka/errors.h"
#include "connectors/kafka/handle.h"
#include "engine/base/check.h"

namespace lethe {

namespace {

template <auto kDestroy>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    kDestroy(object);
  }
};
template <typename T, auto kDestroy>
using Owned = std::unique_ptr<T, Deleter<kDestroy>>;

using Queue = Owned<rd_kafka_queue_t, rd_kafka_queue_destroy>;
using Event = Owned<rd_kafka_event_t, rd_kafka_event_destroy>;
using Options = Owned<rd_kafka_AdminOptions_t, rd_kafka_AdminOptions_destroy>;
using NewTopic = Owned<rd_kafka_NewTopic_t, rd_kafka_NewTopic_destroy>;
using Resource = Owned<rd_kafka_ConfigResource_t, rd_kafka_ConfigResource_destroy>;

// The first error among the topics of a result.
Status FirstError(const rd_kafka_topic_result_t** topics, std::size_t count,
                  const std::string& what) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto error = rd_kafka_topic_result_error(topics[i]);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    const char* text = rd_kafka_topic_result_error_string(topics[i]);
    return kafka::FromError(error, what, text != nullptr ? text : "");
  }
  return Status::Ok();
}

bool HasLeaders(const rd_kafka_metadata_topic_t& topic, std::int32_t count) {
  if (topic.err != RD_KAFKA_RESP_ERR_NO_ERROR || topic.partition_cnt < count) return false;
  return std::all_of(topic.partitions, topic.partitions + topic.partition_cnt,
                     [](const auto& partition) { return partition.leader >= 0; });
}

}  // namespace

struct KafkaAdmin::Impl {
  std::unique_ptr<kafka::Handle> handle;

  Options MakeOptions(rd_kafka_admin_op_t operation, Timeout timeout) const;
  // Calls `request` to send a request, and waits for its answer.
  template <typename Request>
  Result<Event> Ask(rd_kafka_admin_op_t operation, const std::string& what, Timeout timeout,
                    Request request);
  // Waits until the brokers know the topic: the controller answers earlier than that.
  Status AwaitPartitions(const std::string& topic, std::int32_t count, const std::string& what,
                         Timeout timeout);
};

Options KafkaAdmin::Impl::MakeOptions(rd_kafka_admin_op_t operation, Timeout timeout) const {
  Options options(rd_kafka_AdminOptions_new(handle->get(), operation));
  std::array<char, 256> errstr{};
  const int wait = static_cast<int>(std::clamp<std::int64_t>(timeout.count(), 1, 3'600'000));
  LETHE_CHECK(rd_kafka_AdminOptions_set_request_timeout(
                  options.get(), wait, errstr.data(), errstr.size()) == RD_KAFKA_RESP_ERR_NO_ERROR);
  return options;
}

template <typename Request>
Result<Event> KafkaAdmin::Impl::Ask(rd_kafka_admin_op_t operation, const std::string& what,
                                    Timeout timeout, Request request) {
  const Options options = MakeOptions(operation, timeout);
  const Queue queue(rd_kafka_queue_new(handle->get()));
  request(options.get(), queue.get());
  // librdkafka ends the request after the same time, so an answer always comes.
  constexpr int kGraceMs = 1000;
  Event event(rd_kafka_queue_poll(queue.get(), static_cast<int>(timeout.count()) + kGraceMs));
  rd_kafka_poll(handle->get(), 0);
  if (event == nullptr) return handle->Unavailable(what);
  const auto error = rd_kafka_event_error(event.get());
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return event;
  if (error == RD_KAFKA_RESP_ERR__TIMED_OUT || error == RD_KAFKA_RESP_ERR__TRANSPORT) {
    return handle->Unavailable(what);
  }
  return kafka::FromError(error, what, rd_kafka_event_error_string(event.get()));
}

Status KafkaAdmin::Impl::AwaitPartitions(const std::string& topic, std::int32_t count,
                                         const std::string& what, Timeout timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  auto opened = kafka::OpenTopic(*handle, topic);
  if (!opened.ok()) return opened.status();
  do {
    const rd_kafka_metadata_t* metadata = nullptr;
    const auto error = rd_kafka_metadata(handle->get(), 0, opened.value().get(), &metadata,
                                         static_cast<int>(timeout.count()));
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return handle->Unavailable(what);
    const bool is_there = metadata->topic_cnt == 1 && HasLeaders(metadata->topics[0], count);
    rd_kafka_metadata_destroy(metadata);
    if (is_there) return Status::Ok();
    rd_kafka_poll(handle->get(), 50);
  } while (std::chrono::steady_clock::now() < deadline);
  return handle->Unavailable(what);
}

KafkaAdmin::KafkaAdmin(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

KafkaAdmin::~KafkaAdmin() = default;

Result<std::unique_ptr<KafkaAdmin>> KafkaAdmin::Open(const KafkaSettings& settings, KafkaLog log) {
  auto handle = kafka::Handle::OpenProducer(settings, {}, {}, std::move(log), nullptr);
  if (!handle.ok()) return handle.status();
  auto impl = std::make_unique<Impl>();
  impl->handle = std::move(handle).value();
  return std::unique_ptr<KafkaAdmin>(new KafkaAdmin(std::move(impl)));
}

Status KafkaAdmin::CreateTopic(const std::string& topic, std::int32_t partitions,
                               const TopicConfig& config, Timeout timeout) {
  const std::string what = "cannot create topic \"" + topic + "\"";
  std::array<char, 256> errstr{};
  constexpr int kClusterDefault = -1;
  NewTopic created(rd_kafka_NewTopic_new(topic.c_str(), partitions, kClusterDefault, errstr.data(),
                                         errstr.size()));
  if (created == nullptr) return {ErrorCode::kConfig, "Kafka: " + what + ": " + errstr.data()};
  for (const auto& [name, value] : config) {
    rd_kafka_NewTopic_set_config(created.get(), name.c_str(), value.c_str());
  }
  rd_kafka_NewTopic_t* request = created.get();
  const auto event =
      impl_->Ask(RD_KAFKA_ADMIN_OP_CREATETOPICS, what, timeout, [&](auto* options, auto* queue) {
        rd_kafka_CreateTopics(impl_->handle->get(), &request, 1, options, queue);
      });
  if (!event.ok()) return event.status();
  std::size_t count = 0;
  const auto* result = rd_kafka_event_CreateTopics_result(event.value().get());
  const auto** topics = rd_kafka_CreateTopics_result_topics(result, &count);
  LETHE_RETURN_IF_ERROR(FirstError(topics, count, what));
  return impl_->AwaitPartitions(topic, partitions, what, timeout);
}

Result<KafkaAdmin::TopicConfig> KafkaAdmin::DescribeTopic(const std::string& topic,
                                                          Timeout timeout) {
  const std::string what = "cannot read the settings of topic \"" + topic + "\"";
  const Resource asked(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  rd_kafka_ConfigResource_t* request = asked.get();
  const auto event =
      impl_->Ask(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, what, timeout, [&](auto* options, auto* queue) {
        rd_kafka_DescribeConfigs(impl_->handle->get(), &request, 1, options, queue);
      });
  if (!event.ok()) return event.status();
  std::size_t count = 0;
  const auto* result = rd_kafka_event_DescribeConfigs_result(event.value().get());
  const auto** resources = rd_kafka_DescribeConfigs_result_resources(result, &count);
  LETHE_CHECK(count == 1);
  if (const auto error = rd_kafka_ConfigResource_error(resources[0])) {
    const char* text = rd_kafka_ConfigResource_error_string(resources[0]);
    return kafka::FromError(error, what, text != nullptr ? text : "");
  }
  TopicConfig config;
  const auto** entries = rd_kafka_ConfigResource_configs(resources[0], &count);
  for (std::size_t i = 0; i < count; ++i) {
    const char* value = rd_kafka_ConfigEntry_value(entries[i]);
    if (value != nullptr) config[rd_kafka_ConfigEntry_name(entries[i])] = value;
  }
  return config;
}

}  // namespace lethe
