#pragma once

#include <span>
#include <string_view>

namespace lethe {

enum class MetricKind { kCounter, kGauge, kHistogram };

struct MetricInfo {
  const char* name;
  MetricKind kind;
  const char* help;
};

// Every metric that Lethe shows, in the order of the exposition. docs/metrics.md has the same list.
std::span<const MetricInfo> MetricCatalog();

// The place of a metric in the catalog; it must be there.
std::size_t MetricIndex(std::string_view name);

}  // namespace lethe
