#include "connectors/kafka/consumer.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

#include "connectors/kafka/handle.h"
#include "connectors/kafka/partition_reader.h"
#include "connectors/kafka/watermark_poller.h"
#include "engine/base/check.h"

namespace lethe {

namespace {

using kafka::PartitionReader;

const kafka::Properties& Fixed() {
  static const kafka::Properties properties = kafka::ReaderProperties({
      // Statistics tell which brokers are connected, and when the last bytes came.
      {"statistics.interval.ms", "2000"},
      // One call takes at most one batch out of the prefetch queue.
      {"consume.callback.max.messages", std::to_string(PartitionReader::kMaxMessages)},
  });
  return properties;
}

const kafka::Properties& Defaults() {
  // A missing topic is reported after 3 seconds instead of 30. The queues are smaller than
  // librdkafka's defaults: a long queue takes memory, and its messages have left the processor's
  // cache when they are read.
  static const kafka::Properties properties = {{"topic.metadata.propagation.max.ms", "3000"},
                                               {"queued.min.messages", "50000"},
                                               {"queued.max.messages.kbytes", "8192"}};
  return properties;
}

// The value of a numeric property that is in force.
std::int64_t Number(rd_kafka_t* kafka, const char* name) {
  std::array<char, 64> text{};
  std::size_t size = text.size();
  const auto result = rd_kafka_conf_get(rd_kafka_conf(kafka), name, text.data(), &size);
  LETHE_CHECK(result == RD_KAFKA_CONF_OK);
  return std::atoll(text.data());
}

}  // namespace

struct KafkaConsumer::Impl {
  struct Part {
    std::unique_ptr<PartitionReader> reader;
    std::size_t at = 0;  // the index of the reader in the WatermarkPoller
  };

  const Part& PartOf(std::int32_t partition) const {
    const auto found = parts.find(partition);
    LETHE_CHECK(found != parts.end());
    return found->second;
  }
  PartitionReader& ReaderOf(std::int32_t partition) const { return *PartOf(partition).reader; }

  // The order matters: members are destroyed from the last to the first. The poller uses the
  // readers, the readers use the topic, and the topic uses the handle.
  std::unique_ptr<kafka::Handle> handle;
  kafka::Topic topic;
  std::string topic_name;
  bool has_group = false;
  std::map<std::int32_t, Part> parts;
  std::unique_ptr<kafka::WatermarkPoller> watermark_poller;
};

KafkaConsumer::KafkaConsumer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

KafkaConsumer::~KafkaConsumer() { Stop(); }

Result<std::unique_ptr<KafkaConsumer>> KafkaConsumer::Start(
    const KafkaSettings& settings, const std::string& topic,
    const std::vector<Assignment>& assignments, KafkaLog log, ConsumerOptions options) {
  LETHE_CHECK(!assignments.empty());
  auto impl = std::make_unique<Impl>();
  auto handle = kafka::Handle::OpenConsumer(settings, Defaults(), Fixed(), std::move(log));
  if (!handle.ok()) return handle.status();
  impl->handle = std::move(handle).value();
  auto opened = kafka::OpenTopic(*impl->handle, topic);
  if (!opened.ok()) return opened.status();
  impl->topic = std::move(opened).value();
  impl->topic_name = topic;
  impl->has_group = settings.properties.contains("group.id");

  // A queue counts as full at half of librdkafka's limits, because the byte count is an estimate.
  PartitionReader::Options reader_options;
  reader_options.keep_values = options.keep_values;
  rd_kafka_t* const kafka = impl->handle->get();
  reader_options.full_messages =
      std::max<std::int64_t>(1, Number(kafka, "queued.min.messages") / 2);
  reader_options.full_bytes = Number(kafka, "queued.max.messages.kbytes") * 1024 / 2;
  reader_options.on_full = [raw = impl.get()] { raw->watermark_poller->NoteFull(); };
  reader_options.on_drained = [raw = impl.get()] { raw->watermark_poller->AskNow(); };

  std::vector<PartitionReader*> readers;
  for (const Assignment& assignment : assignments) {
    reader_options.start = assignment.next;
    auto reader = std::make_unique<PartitionReader>(*impl->handle, impl->topic.get(), topic,
                                                    assignment.partition, reader_options);
    readers.push_back(reader.get());
    const bool is_new =
        impl->parts
            .try_emplace(assignment.partition, Impl::Part{std::move(reader), readers.size() - 1})
            .second;
    LETHE_CHECK(is_new);
  }
  impl->watermark_poller =
      std::make_unique<kafka::WatermarkPoller>(*impl->handle, impl->topic.get(), topic, readers);
  std::unique_ptr<KafkaConsumer> consumer(new KafkaConsumer(std::move(impl)));
  for (PartitionReader* reader : readers) LETHE_RETURN_IF_ERROR(reader->Start());
  consumer->impl_->watermark_poller->Start();
  return consumer;
}

Result<bool> KafkaConsumer::Read(std::int32_t partition, std::chrono::milliseconds timeout,
                                 MessageBatch& batch) {
  return impl_->ReaderOf(partition).Read(timeout, batch);
}

void KafkaConsumer::Wake() {
  for (const auto& [partition, part] : impl_->parts) part.reader->Wake();
}

void KafkaConsumer::Stop() {
  // The readers are stopped first, because stopping the poller may wait a second for a broker.
  for (const auto& [partition, part] : impl_->parts) part.reader->Stop();
  impl_->watermark_poller->Stop();
}

void KafkaConsumer::Fail(const Status& why) {
  for (const auto& [partition, part] : impl_->parts) part.reader->Fail(why);
}

std::optional<ReadSpan> KafkaConsumer::ReadSoFar(std::int32_t partition) const {
  return impl_->ReaderOf(partition).read_so_far();
}

Offset KafkaConsumer::Position(std::int32_t partition) const {
  return impl_->ReaderOf(partition).position();
}

bool KafkaConsumer::HasMore(std::int32_t partition) const {
  return impl_->ReaderOf(partition).waiting() > 0;
}

std::int64_t KafkaConsumer::Lag(std::int32_t partition) const {
  const Impl::Part& part = impl_->PartOf(partition);
  const std::int64_t end = impl_->watermark_poller->End(part.at);
  if (end < 0) return -1;
  return std::max<std::int64_t>(0, end - part.reader->position().value);
}

std::int64_t KafkaConsumer::Queued(std::int32_t partition) const {
  return impl_->ReaderOf(partition).waiting();
}

BrokerContact KafkaConsumer::contact() const { return impl_->handle->contact(); }

void KafkaConsumer::ReportProgress(std::int32_t partition, Offset next) {
  if (!impl_->has_group) return;
  rd_kafka_topic_partition_list_t* const list = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(list, impl_->topic_name.c_str(), partition)->offset =
      next.value;
  rd_kafka_commit(impl_->handle->get(), list, 1);
  rd_kafka_topic_partition_list_destroy(list);
}

}  // namespace lethe
