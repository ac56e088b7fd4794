#include <algorithm>

#include "app/config/kafka_fields.h"

namespace lethe::config {
namespace {

constexpr char kAllowed[] = "all, a list such as [0, 3], or {ordinal: 1, of: 3}";
constexpr char kDescription[] =
    "which partitions this process works on; {ordinal: i, of: n} takes every n-th, from i on";
constexpr char kSchema[] =
    R"({"anyOf": [{"enum": ["all"]}, )"
    R"({"type": "array", "minItems": 1, "uniqueItems": true, )"
    R"("items": {"type": "integer", "minimum": 0}}, )"
    R"({"type": "object", "additionalProperties": false, "required": ["ordinal", "of"], )"
    R"("properties": {"ordinal": {"type": ["integer", "string"]}, )"
    R"("of": {"type": ["integer", "string"]}}}]})";

constexpr std::int64_t kMostPartitions = 1'000'000;

Kind<std::int64_t> PartitionNumber() { return Integer(0, kMostPartitions - 1); }

void ReadList(const Value& value, const Place& place, Partitions& partitions) {
  Partitions read{.kind = Partitions::Kind::kList, .list = {}, .ordinal = 0, .of = 1};
  bool complete = true;
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    const Value& item = value.children[i];
    const Place here{place.errors, place.path + "[" + std::to_string(i) + "]", item.line};
    const std::optional<std::int64_t> number = ReadAs(PartitionNumber(), item, here);
    complete = complete && number.has_value();
    if (number) read.list.push_back(static_cast<std::int32_t>(*number));
  }
  std::sort(read.list.begin(), read.list.end());
  if (value.children.empty()) {
    place.Report({"an empty list leaves nothing to do", kAllowed});
  } else if (std::adjacent_find(read.list.begin(), read.list.end()) != read.list.end()) {
    place.Report({"a partition is listed twice", kAllowed});
  } else if (complete) {
    partitions = std::move(read);
  }
}

void ReadOrdinal(const Value& value, const Place& place, Partitions& partitions) {
  const std::vector<std::string> known = {"ordinal", "of"};
  std::optional<std::int64_t> ordinal, of;
  bool complete = true;
  for (const Value& entry : value.children) {
    const Place here{place.errors, JoinPath(place.path, entry.key), entry.line};
    std::optional<std::int64_t>& target = entry.key == "ordinal" ? ordinal : of;
    if (entry.key == "ordinal") {
      target = ReadAs(PartitionNumber(), entry, here);
    } else if (entry.key == "of") {
      target = ReadAs(Integer(1, kMostPartitions), entry, here);
    } else {
      here.Report({"unknown key", OneOf(known), Nearest(entry.key, known).value_or("")});
      complete = false;
      continue;
    }
    complete = complete && target.has_value();
  }
  if (!complete) return;
  if (!ordinal || !of) {
    place.Report({"needs both ordinal and of", kAllowed});
  } else if (*ordinal >= *of) {
    place.Report({"ordinal " + std::to_string(*ordinal) + " is not below of " +
                      std::to_string(*of) + ": ordinals count from 0",
                  kAllowed});
  } else {
    partitions = {Partitions::Kind::kOrdinal,
                  {},
                  static_cast<std::int32_t>(*ordinal),
                  static_cast<std::int32_t>(*of)};
  }
}

void Read(const Value& value, const Place& place, Config& config) {
  Partitions& partitions = config.source.kafka.partitions;
  if (value.kind == Value::Kind::kList) return ReadList(value, place, partitions);
  if (value.kind == Value::Kind::kMap) return ReadOrdinal(value, place, partitions);
  if (ReadAs(Word({"all"}), value, place)) partitions = Partitions();
}

std::string Print(const Config& config) {
  const Partitions& partitions = config.source.kafka.partitions;
  if (partitions.kind == Partitions::Kind::kAll) return "all";
  if (partitions.kind == Partitions::Kind::kOrdinal) {
    return "{\"ordinal\": " + std::to_string(partitions.ordinal) +
           ", \"of\": " + std::to_string(partitions.of) + "}";
  }
  std::string list;
  for (std::int32_t number : partitions.list) {
    list += (list.empty() ? "" : ", ") + std::to_string(number);
  }
  return "[" + list + "]";
}

}  // namespace

Field DescribePartitions() {
  return {"source.kafka.partitions", kAllowed, kDescription, kSchema, false, Read, Print};
}

}  // namespace lethe::config
