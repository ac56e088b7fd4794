#include "app/topics/clock_notices.h"

#include <simdjson.h>

#include "connectors/json/envelope.h"

namespace lethe {
namespace {

void Take(const std::string& bytes, ClockNotices& notices) {
  simdjson::dom::parser parser;
  simdjson::dom::element notice;
  std::string_view status;
  ShardId shard;
  Offset offset;
  TimeMs arrival;
  if (parser.parse(bytes).get(notice) == simdjson::SUCCESS &&
      notice["status"].get(status) == simdjson::SUCCESS && status == "clock" &&
      notice["shard"].get(shard.value) == simdjson::SUCCESS &&
      notice["offset"].get(offset.value) == simdjson::SUCCESS &&
      notice["arrival"].get(arrival.value) == simdjson::SUCCESS) {
    notices[{shard, offset}] = arrival;
  }
}

}  // namespace

Result<ClockNotices> ReadClockNotices(TopicAccess& access, const std::string& receipts_topic) {
  ClockNotices notices;
  const auto partitions = access.Partitions(receipts_topic);
  if (!partitions.ok()) return notices;
  for (std::int32_t partition = 0; partition < partitions.value(); ++partition) {
    const auto range = access.cluster().Range(receipts_topic, partition, kBrokerTimeout);
    if (!range.ok()) return range.status();
    LETHE_RETURN_IF_ERROR(
        access.Read(receipts_topic, partition, range.value(), [&](const FoundMessage& message) {
          Take(WithoutEnvelope(message.value.value_or("")), notices);
          return true;
        }));
  }
  return notices;
}

}  // namespace lethe
