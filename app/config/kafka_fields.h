#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/config/field.h"

// The two keys of source.kafka that are more than a scalar.
namespace lethe::config {

// What stands for a secret where a configuration is printed.
inline constexpr char kMask[] = "********";

// source.kafka.partitions: all | [0, 3] | {ordinal: 1, of: 3}
Field DescribePartitions();

// source.kafka.properties: librdkafka's own names and values. Refuses the names that Lethe sets
// itself. CheckKafkaConfig finds out whether librdkafka knows the others.
Field DescribeProperties();

// A librdkafka property that Lethe sets, and why the user may not.
struct OwnedProperty {
  std::string_view name;
  std::string_view reason;
};
std::span<const OwnedProperty> OwnedProperties();

// Whether the value of a librdkafka property must not be shown.
bool IsSecretProperty(const std::string& name);

}  // namespace lethe::config
