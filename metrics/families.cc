#include "metrics/families.h"

#include <prometheus/text_serializer.h>

#include "engine/base/check.h"
#include "metrics/catalog.h"

namespace lethe {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;

MetricType TypeOf(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter: return MetricType::Counter;
    case MetricKind::kGauge: return MetricType::Gauge;
    case MetricKind::kHistogram: return MetricType::Histogram;
  }
  LETHE_CHECK(false);
}

void SetLabels(const Families::Labels& labels, ClientMetric& metric) {
  for (const auto& [name, value] : labels) metric.label.push_back({name, value});
}

}  // namespace

Families::Families() {
  for (const MetricInfo& info : MetricCatalog()) {
    families_.push_back({info.name, info.help, TypeOf(info.kind), {}});
  }
}

void Families::Add(std::string_view name, const Labels& labels, double value) {
  prometheus::MetricFamily& family = families_[MetricIndex(name)];
  ClientMetric metric;
  SetLabels(labels, metric);
  if (family.type == MetricType::Counter) {
    metric.counter.value = value;
  } else {
    LETHE_CHECK(family.type == MetricType::Gauge);
    metric.gauge.value = value;
  }
  family.metric.push_back(std::move(metric));
}

void Families::Add(std::string_view name, const Labels& labels, ClientMetric histogram) {
  prometheus::MetricFamily& family = families_[MetricIndex(name)];
  LETHE_CHECK(family.type == MetricType::Histogram);
  SetLabels(labels, histogram);
  family.metric.push_back(std::move(histogram));
}

std::string Families::Text() const {
  std::vector<prometheus::MetricFamily> known;
  for (const prometheus::MetricFamily& family : families_) {
    if (!family.metric.empty()) known.push_back(family);
  }
  // The overload of the base class that returns a string.
  return prometheus::TextSerializer().Serialize(known);
}

}  // namespace lethe
