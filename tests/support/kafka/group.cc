#include "tests/support/kafka/group.h"

#include <librdkafka/rdkafka.h>

#include <memory>
#include <utility>

#include "connectors/kafka/errors.h"
#include "connectors/kafka/handle.h"

namespace lethe {

Result<std::optional<Offset>> CommittedOffset(const KafkaSettings& settings,
                                              const std::string& group, const std::string& topic,
                                              std::int32_t partition,
                                              std::chrono::milliseconds timeout) {
  auto opened = kafka::Handle::OpenConsumer(settings, {}, {{"group.id", group}}, {});
  if (!opened.ok()) return opened.status();
  const std::unique_ptr<kafka::Handle> handle = std::move(opened).value();
  rd_kafka_topic_partition_list_t* const list = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(list, topic.c_str(), partition);
  const auto error = rd_kafka_committed(handle->get(), list, static_cast<int>(timeout.count()));
  const std::int64_t offset = list->elems[0].offset;
  rd_kafka_topic_partition_list_destroy(list);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka::FromError(error, "committed");
  if (offset < 0) return std::optional<Offset>();
  return std::optional<Offset>(Offset{offset});
}

}  // namespace lethe
