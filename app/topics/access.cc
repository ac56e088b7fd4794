#include "app/topics/access.h"

#include "app/interrupt.h"
#include "app/run/connection.h"

namespace lethe {
namespace {

// Read gives up after this many waits in a row without a message.
constexpr std::chrono::milliseconds kIdle{1'000};
constexpr int kIdleLimit = 20;

}  // namespace

Result<std::unique_ptr<TopicAccess>> TopicAccess::Open(const KafkaConfig& kafka) {
  auto settings = MakeKafkaSettings(kafka);
  if (!settings.ok()) return settings.status();
  // Without a log: a command reports errors, and has no use for librdkafka's messages.
  auto cluster = KafkaCluster::Open(settings.value(), {});
  if (!cluster.ok()) return cluster.status();
  return std::unique_ptr<TopicAccess>(
      new TopicAccess(std::move(settings).value(), std::move(cluster).value()));
}

Result<std::int32_t> TopicAccess::Partitions(const std::string& topic) {
  const auto count = cluster_->PartitionCount(topic, kBrokerTimeout);
  if (!count.ok()) return count.status();
  if (count.value()) return *count.value();
  return Status(ErrorCode::kUnavailable, "topic " + topic + " does not exist on " +
                                             settings_.brokers +
                                             "; create it, or correct its name");
}

Status TopicAccess::Read(const std::string& topic, std::int32_t partition, OffsetRange range,
                         const KafkaCluster::Visitor& visit) {
  for (int idle = 0;;) {
    const Status status =
        cluster_->ForEach(topic, partition, range, kIdle, [&](const FoundMessage& message) {
          idle = 0;
          range.first = {message.offset.value + 1};
          return !Interrupted() && visit(message);
        });
    if (Interrupted()) return InterruptedStatus("while reading topic " + topic);
    if (status.code() != ErrorCode::kUnavailable || ++idle == kIdleLimit) return status;
  }
}

}  // namespace lethe
