#pragma once

#include <span>
#include <string_view>

namespace lethe {

enum class MetricKind { kCounter, kGauge, kHistogram };

// The name, type and help text of a metric. A constant of the program.
struct MetricInfo {
  const char* name;
  MetricKind kind;
  const char* help;
};

// Every metric of Lethe, in the order of the exposition. docs/metrics.md has the same list, and a
// test compares them. Immutable, so it is thread-safe.
std::span<const MetricInfo> MetricCatalog();

// The index of a metric in the catalog. The program ends if there is no such metric.
std::size_t MetricIndex(std::string_view name);

}  // namespace lethe
