#include "connectors/kafka/cluster.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "connectors/kafka/errors.h"
#include "connectors/kafka/handle.h"
#include "connectors/kafka/message_reader.h"

namespace lethe {

namespace {

using kafka::Deadline;
using kafka::TimeLeft;

// LastIn searches this many offsets first, and then windows that grow by the factor.
constexpr std::int64_t kFirstWindow = 100;
constexpr std::int64_t kWindowGrowth = 10;
constexpr int kRetryMs = 50;

const kafka::Properties& Fixed() {
  static const kafka::Properties properties = kafka::ReaderProperties({
      {"consume.callback.max.messages", "1024"},
      // How long a broker waits for new records before it answers that there are none. That answer
      // ends the reading of a window.
      {"fetch.wait.max.ms", "10"},
  });
  return properties;
}

bool IsAway(int error) {
  return error == RD_KAFKA_RESP_ERR__TIMED_OUT || error == RD_KAFKA_RESP_ERR__TRANSPORT ||
         error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ||
         error == RD_KAFKA_RESP_ERR__AUTHENTICATION || error == RD_KAFKA_RESP_ERR__RESOLVE;
}

// Whether the partition has no leader at the moment: it is new, or its broker was lost.
bool IsElecting(int error) {
  return error == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
         error == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION;
}

Deadline After(std::chrono::milliseconds timeout) {
  return std::chrono::steady_clock::now() + timeout;
}

std::string Describe(const std::string& topic, std::int32_t partition) {
  return "partition " + std::to_string(partition) + " of topic \"" + topic + "\"";
}

}  // namespace

struct KafkaCluster::Impl {
  std::unique_ptr<kafka::Handle> handle;
  std::mutex mutex;
  std::map<std::string, kafka::Topic> topics;  // destroyed before the handle

  Result<rd_kafka_topic_t*> TopicOf(const std::string& name);
  Status Failed(int error, const std::string& what);
  Result<std::optional<std::int32_t>> PartitionCount(const std::string& topic, Deadline deadline);
  Result<OffsetRange> Range(const std::string& topic, std::int32_t partition, Deadline deadline);
  Result<std::optional<FoundMessage>> LastIn(const std::string& topic, std::int32_t partition,
                                             std::string_view key, Deadline deadline);
};

Result<rd_kafka_topic_t*> KafkaCluster::Impl::TopicOf(const std::string& name) {
  const auto found = topics.find(name);
  if (found != topics.end()) return found->second.get();
  auto topic = kafka::OpenTopic(*handle, name);
  if (!topic.ok()) return topic.status();
  return topics.emplace(name, std::move(topic).value()).first->second.get();
}

Status KafkaCluster::Impl::Failed(int error, const std::string& what) {
  rd_kafka_poll(handle->get(), 0);  // serves the error callback
  return IsAway(error) ? handle->Unavailable(what) : kafka::FromError(error, what);
}

Result<std::optional<std::int32_t>> KafkaCluster::Impl::PartitionCount(const std::string& topic,
                                                                       Deadline deadline) {
  const std::string what = "asking for topic \"" + topic + "\"";
  const auto opened = TopicOf(topic);
  if (!opened.ok()) return opened.status();
  for (;;) {
    const rd_kafka_metadata_t* metadata = nullptr;
    const int error = rd_kafka_metadata(handle->get(), 0, opened.value(), &metadata,
                                        std::max(1, TimeLeft(deadline)));
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return Failed(error, what);
    const int of_topic =
        metadata->topic_cnt == 1 ? metadata->topics[0].err : RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
    const std::int32_t count = metadata->topic_cnt == 1 ? metadata->topics[0].partition_cnt : 0;
    rd_kafka_metadata_destroy(metadata);
    if (kafka::IsMissingTopic(of_topic)) return std::optional<std::int32_t>();
    if (of_topic == RD_KAFKA_RESP_ERR_NO_ERROR) return std::optional<std::int32_t>(count);
    if (!IsElecting(of_topic) || TimeLeft(deadline) == 0) return Failed(of_topic, what);
    rd_kafka_poll(handle->get(), kRetryMs);
  }
}

Result<OffsetRange> KafkaCluster::Impl::Range(const std::string& topic, std::int32_t partition,
                                              Deadline deadline) {
  const std::string what = "asking for the offsets of " + Describe(topic, partition);
  std::int64_t first = 0;
  std::int64_t next = 0;
  for (;;) {
    const int error = rd_kafka_query_watermark_offsets(
        handle->get(), topic.c_str(), partition, &first, &next, std::max(1, TimeLeft(deadline)));
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) break;
    if (!IsElecting(error) || TimeLeft(deadline) == 0) return Failed(error, what);
    rd_kafka_poll(handle->get(), kRetryMs);
  }
  return OffsetRange{Offset{first}, Offset{next}};
}

// Searches the last 100 offsets, then the 900 before them, then the 9,000 before those, and so on.
// Each window is read forwards and the last match in it is kept, so no offset is read twice. A
// recent key costs one small read, and a missing key one pass over the partition.
Result<std::optional<FoundMessage>> KafkaCluster::Impl::LastIn(const std::string& topic,
                                                               std::int32_t partition,
                                                               std::string_view key,
                                                               Deadline deadline) {
  const auto opened = TopicOf(topic);
  if (!opened.ok()) return opened.status();
  const auto range = Range(topic, partition, deadline);
  if (!range.ok()) return range.status();
  std::optional<FoundMessage> last;
  std::int64_t end = range.value().next.value;
  for (std::int64_t window = kFirstWindow; end > range.value().first.value && !last;
       window *= kWindowGrowth) {
    const std::int64_t begin =
        std::max(range.value().first.value, range.value().next.value - window);
    LETHE_RETURN_IF_ERROR(kafka::ReadMessages(
        *handle, opened.value(), partition, Offset{begin}, Offset{end}, deadline,
        [&](const rd_kafka_message_t& message) {
          const std::string_view found(static_cast<const char*>(message.key), message.key_len);
          if (message.key != nullptr && found == key) last = kafka::CopyMessage(message);
          return true;
        }));
    end = begin;
  }
  return last;
}

KafkaCluster::KafkaCluster(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

KafkaCluster::~KafkaCluster() = default;

Result<std::unique_ptr<KafkaCluster>> KafkaCluster::Open(const KafkaSettings& settings,
                                                         KafkaLog log) {
  auto handle = kafka::Handle::OpenConsumer(settings, {}, Fixed(), std::move(log));
  if (!handle.ok()) return handle.status();
  auto impl = std::make_unique<Impl>();
  impl->handle = std::move(handle).value();
  return std::unique_ptr<KafkaCluster>(new KafkaCluster(std::move(impl)));
}

Result<std::string> KafkaCluster::ClusterId(Timeout timeout) {
  std::lock_guard lock(impl_->mutex);
  const int wait = TimeLeft(After(timeout));
  char* const id = rd_kafka_clusterid(impl_->handle->get(), wait);
  if (id == nullptr) {
    return impl_->Failed(RD_KAFKA_RESP_ERR__TIMED_OUT, "asking for the id of the cluster");
  }
  std::string text = id;
  rd_kafka_mem_free(impl_->handle->get(), id);
  return text;
}

Result<std::optional<std::int32_t>> KafkaCluster::PartitionCount(const std::string& topic,
                                                                 Timeout timeout) {
  std::lock_guard lock(impl_->mutex);
  return impl_->PartitionCount(topic, After(timeout));
}

Result<OffsetRange> KafkaCluster::Range(const std::string& topic, std::int32_t partition,
                                        Timeout timeout) {
  std::lock_guard lock(impl_->mutex);
  return impl_->Range(topic, partition, After(timeout));
}

Result<std::vector<Offset>> KafkaCluster::Ends(const std::string& topic,
                                               const std::vector<std::int32_t>& partitions,
                                               Timeout timeout) {
  const std::string what = "asking for the ends of topic \"" + topic + "\"";
  std::lock_guard lock(impl_->mutex);
  std::unique_ptr<rd_kafka_topic_partition_list_t, decltype(&rd_kafka_topic_partition_list_destroy)>
      list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())),
           rd_kafka_topic_partition_list_destroy);
  for (const std::int32_t partition : partitions) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset =
        RD_KAFKA_OFFSET_END;
  }
  const auto error = rd_kafka_offsets_for_times(impl_->handle->get(), list.get(),
                                                static_cast<int>(timeout.count()));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return impl_->Failed(error, what);
  std::vector<Offset> ends;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const rd_kafka_topic_partition_t& answer = list->elems[i];
    if (answer.err != RD_KAFKA_RESP_ERR_NO_ERROR) return impl_->Failed(answer.err, what);
    ends.push_back(Offset{answer.offset});
  }
  return ends;
}

Result<std::optional<FoundMessage>> KafkaCluster::At(const std::string& topic,
                                                     std::int32_t partition, Offset offset,
                                                     Timeout timeout) {
  std::lock_guard lock(impl_->mutex);
  const Deadline deadline = After(timeout);
  const auto opened = impl_->TopicOf(topic);
  if (!opened.ok()) return opened.status();
  const auto range = impl_->Range(topic, partition, deadline);
  if (!range.ok()) return range.status();
  std::optional<FoundMessage> found;
  if (offset < range.value().first || offset >= range.value().next) return found;
  LETHE_RETURN_IF_ERROR(kafka::ReadMessages(*impl_->handle, opened.value(), partition, offset,
                                            Offset{offset.value + 1}, deadline,
                                            [&](const rd_kafka_message_t& message) {
                                              found = kafka::CopyMessage(message);
                                              return false;
                                            }));
  return found;
}

Result<std::vector<FoundMessage>> KafkaCluster::LastWithKey(const std::string& topic,
                                                            const std::string& key,
                                                            Timeout timeout) {
  std::lock_guard lock(impl_->mutex);
  const Deadline deadline = After(timeout);
  const auto count = impl_->PartitionCount(topic, deadline);
  if (!count.ok()) return count.status();
  std::vector<FoundMessage> all;
  for (std::int32_t partition = 0; partition < count.value().value_or(0); ++partition) {
    auto last = impl_->LastIn(topic, partition, key, deadline);
    if (!last.ok()) return last.status();
    if (last.value()) all.push_back(*std::move(last).value());
  }
  return all;
}

Status KafkaCluster::ForEach(const std::string& topic, std::int32_t partition,
                             const OffsetRange& range, Timeout idle, const Visitor& visit) {
  std::lock_guard lock(impl_->mutex);
  const auto opened = impl_->TopicOf(topic);
  if (!opened.ok()) return opened.status();
  Deadline deadline = After(idle);
  return kafka::ReadMessages(*impl_->handle, opened.value(), partition, range.first, range.next,
                             deadline, [&](const rd_kafka_message_t& message) {
                               deadline = After(idle);
                               return visit(kafka::CopyMessage(message));
                             });
}

}  // namespace lethe
