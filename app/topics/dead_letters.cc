#include "app/topics/dead_letters.h"

#include "engine/base/json.h"

namespace lethe {
namespace {

constexpr std::string_view kPrefix = "__lethe.errors.";

void Take(const FoundMessage& message, std::size_t last, DeadLetters& letters) {
  std::map<std::string_view, std::string_view> headers;
  for (const auto& [name, value] : message.headers) {
    if (name.starts_with(kPrefix)) headers[std::string_view(name).substr(kPrefix.size())] = value;
  }
  if (!headers.contains("reason")) {
    ++letters.foreign;
    return;
  }
  const auto header = [&](const char* name) { return std::string(headers[name]); };
  DeadLetters::OfReason& of_reason = letters.by_reason[header("reason")];
  ++letters.total;
  ++of_reason.count;
  of_reason.requests += headers["stage"] == "request" ? 1 : 0;
  of_reason.last.push_back({header("topic"), header("partition"), header("offset"),
                            header("timestamp"), header("message")});
  if (of_reason.last.size() > last) of_reason.last.pop_front();
}

}  // namespace

Result<DeadLetters> ReadDeadLetters(TopicAccess& access, const std::string& topic,
                                    std::size_t last) {
  const auto count = access.Partitions(topic);
  if (!count.ok()) return count.status();
  DeadLetters letters;
  for (std::int32_t partition = 0; partition < count.value(); ++partition) {
    const auto range = access.cluster().Range(topic, partition, kBrokerTimeout);
    if (!range.ok()) return range.status();
    LETHE_RETURN_IF_ERROR(
        access.Read(topic, partition, range.value(), [&](const FoundMessage& message) {
          Take(message, last, letters);
          return true;
        }));
  }
  return letters;
}

std::string DeadLettersJson(const std::string& topic, const DeadLetters& letters) {
  JsonWriter json;
  json.BeginObject().Field("topic", topic).Field("total", letters.total);
  json.Field("foreign", letters.foreign).Key("reasons").BeginArray();
  for (const auto& [reason, of_reason] : letters.by_reason) {
    json.BeginObject().Field("reason", reason).Field("count", of_reason.count);
    json.Field("requests", of_reason.requests).Key("last").BeginArray();
    for (const DeadPlace& place : of_reason.last) {
      json.BeginObject().Field("topic", place.topic).Field("partition", place.partition);
      json.Field("offset", place.offset).Field("timestamp", place.timestamp);
      json.Field("message", place.message).EndObject();
    }
    json.EndArray().EndObject();
  }
  return json.EndArray().EndObject().text();
}

}  // namespace lethe
