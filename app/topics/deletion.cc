#include "app/topics/deletion.h"

#include <algorithm>
#include <mutex>

#include "connectors/json/event_codec.h"
#include "connectors/kafka/partitioner.h"
#include "connectors/kafka/producer.h"
#include "connectors/kafka/reroute_header.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

// The value of the delete event. The subject is not in it but is the key of the message, because a
// subject may be any bytes and JSON must be UTF-8.
std::string DeleteValue(const DeletionOrder& order) {
  JsonWriter json;
  json.BeginObject().Field("type", "delete");
  if (order.id) json.Field("id", *order.id);
  if (!order.request.empty()) json.Field("request", order.request);
  return json.EndObject().text();
}

// Whether a shard will be able to read the request; otherwise the user would learn it from a dead
// letter.
Status CheckReadable(const OutMessage& message) {
  JsonEventCodec codec;
  Event event;
  const auto rejection = codec.DecodeValue(message.value, message.key, event);
  if (!rejection) return Status::Ok();
  return {ErrorCode::kUsage, "this request could not be read: " + rejection->message};
}

// The partitions that the deletion is sent to.
Result<std::vector<std::int32_t>> TargetsOf(const Config& config, const DeletionOrder& order,
                                            std::int32_t count) {
  if (order.partition) {
    if (*order.partition < count) return std::vector{*order.partition};
    return Status(ErrorCode::kUsage, "there is no partition " + std::to_string(*order.partition) +
                                         ", topic " + config.spec.topic + " has " +
                                         std::to_string(count));
  }
  if (order.subject) {
    const auto partitioner = Partitioner::FromName(config.source.kafka.partitioner);
    LETHE_CHECK(partitioner.has_value());
    if (const auto place = partitioner->Of(*order.subject, count)) return std::vector{*place};
  }
  std::vector<std::int32_t> all(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = i;
  return all;
}

}  // namespace

Result<std::vector<DeletionPlace>> SendDeletion(const Config& config, TopicAccess& access,
                                                const DeletionOrder& order) {
  OutMessage message{.topic = config.spec.topic,
                     .partition = {},
                     .key = order.subject,
                     .value = DeleteValue(order),
                     .headers = {}};
  LETHE_RETURN_IF_ERROR(CheckReadable(message));
  const auto count = access.Partitions(config.spec.topic);
  if (!count.ok()) return count.status();
  const auto targets = TargetsOf(config, order, count.value());
  if (!targets.ok()) return targets.status();
  if (order.partition || targets.value().size() > 1) message.headers = {{kRerouteHeader, "1"}};

  std::mutex mutex;
  std::vector<DeletionPlace> places;
  auto producer = KafkaProducer::Start(access.settings(), {});
  if (!producer.ok()) return producer.status();
  for (const std::int32_t target : targets.value()) {
    message.partition = target;
    LETHE_RETURN_IF_ERROR(producer.value()->SendTracked(
        message,
        [&](const Status& status, std::int32_t partition, Offset offset) {
          const std::lock_guard lock(mutex);
          if (status.ok()) places.push_back({partition, offset});
        },
        kBrokerTimeout));
  }
  const Status sent = producer.value()->Flush(kBrokerTimeout);
  producer.value().reset();  // no callback comes after this, so `places` needs no lock
  if (!sent.ok()) {
    const std::string some = places.empty()
                                 ? ""
                                 : "; it reached " + std::to_string(places.size()) + " of " +
                                       std::to_string(targets.value().size()) + " partitions";
    return Status(sent.code(), sent.message() + some + "; asking again does no harm");
  }
  std::sort(places.begin(), places.end(), [](const DeletionPlace& a, const DeletionPlace& b) {
    return a.partition < b.partition;
  });
  return places;
}

}  // namespace lethe
