#include <algorithm>

#include "app/config/kafka_fields.h"
#include "app/config/substitute.h"

namespace lethe::config {
namespace {

constexpr char kAllowed[] = "a mapping of librdkafka's property names to values";
constexpr char kDescription[] =
    "passed to librdkafka as they are; names that Lethe sets itself are refused";
constexpr char kSchema[] =
    R"({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}})";

constexpr std::string_view kOffsets =
    "offsets are stored in the same commit as the model, so that no event is learned twice";
constexpr std::string_view kAssignment =
    "partitions are assigned by source.kafka.partitions, because a shard is pinned to its state";
constexpr std::string_view kInOrder = "receipts must arrive once and in order";

// group.id is not among them: it only names where progress is reported for lag monitors, and access
// rules often demand a name.
constexpr OwnedProperty kOwned[] = {
    {"bootstrap.servers", "use source.kafka.brokers"},
    {"metadata.broker.list", "use source.kafka.brokers"},
    {"partitioner", "use source.kafka.partitioner"},
    {"enable.auto.commit", kOffsets},
    {"auto.commit.enable", kOffsets},
    {"auto.commit.interval.ms", kOffsets},
    {"enable.auto.offset.store", kOffsets},
    {"offset.store.method", kOffsets},
    {"offset.store.path", kOffsets},
    {"auto.offset.reset",
     "use source.start; a state whose offset is gone must stop, never start elsewhere"},
    {"isolation.level", "always read_committed: an aborted record must not be learned"},
    {"enable.idempotence", kInOrder},
    {"acks", kInOrder},
    {"request.required.acks", kInOrder},
    {"transactional.id", kInOrder},
    {"statistics.interval.ms", "the metrics are made from it"},
    {"partition.assignment.strategy", kAssignment},
    {"group.instance.id", kAssignment},
    {"security.protocol", "use source.kafka.security.protocol"},
    {"sasl.mechanism", "use source.kafka.security.mechanism"},
    {"sasl.mechanisms", "use source.kafka.security.mechanism"},
    {"sasl.username", "use source.kafka.security.username"},
    {"sasl.password", "use source.kafka.security.password_file: secrets come from files"},
    {"ssl.ca.location", "use source.kafka.security.ca"},
    {"ssl.certificate.location", "use source.kafka.security.certificate"},
    {"ssl.key.location", "use source.kafka.security.key"},
};

const OwnedProperty* FindOwned(const std::string& name) {
  const auto found = std::find_if(std::begin(kOwned), std::end(kOwned),
                                  [&](const OwnedProperty& owned) { return owned.name == name; });
  return found == std::end(kOwned) ? nullptr : found;
}

void ReadOne(const Value& entry, const Place& place, std::map<std::string, std::string>& result) {
  const Place here{place.errors, JoinPath(place.path, entry.key), entry.line};
  if (const OwnedProperty* owned = FindOwned(entry.key)) {
    here.Report({"is set by Lethe: " + std::string(owned->reason)});
  } else if (entry.key.empty()) {
    here.Report({"a property needs a name"});
  } else if (CheckIsScalar(entry, here, "a text, a number, true or false")) {
    // The value is not shown: it may be a secret.
    if (entry.text.find('\0') != std::string::npos) {
      here.Report({"contains a NUL byte"});
    } else {
      result[entry.key] = entry.text;
    }
  }
}

void Read(const Value& value, const Place& place, Config& config) {
  if (value.kind == Value::Kind::kBroken) return;
  if (value.kind != Value::Kind::kMap) return place.Report({"is not a mapping", kAllowed});
  std::map<std::string, std::string> read;
  for (const Value& entry : value.children) ReadOne(entry, place, read);
  config.source.kafka.properties = std::move(read);
}

std::string Print(const Config& config) {
  std::string text;
  for (const auto& [name, value] : config.source.kafka.properties) {
    text += (text.empty() ? "" : ", ") + Quote(name) + ": " +
            Quote(IsSecretProperty(name) ? kMask : EscapeDollars(value));
  }
  return "{" + text + "}";
}

}  // namespace

std::span<const OwnedProperty> OwnedProperties() { return kOwned; }

bool IsSecretProperty(const std::string& name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  return has("password") || has("secret") || has(".pem") || has("jaas") ||
         name == "sasl.oauthbearer.config";
}

Field DescribeProperties() {
  return {"source.kafka.properties", kAllowed, kDescription, kSchema, false, Read, Print};
}

}  // namespace lethe::config
