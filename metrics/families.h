#pragma once

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lethe {

// One exposition in the making: samples are added by the catalog's names, in any order.
class Families {
 public:
  using Labels = std::vector<std::pair<const char*, std::string>>;

  Families();

  // A counter or a gauge.
  void Add(std::string_view name, const Labels& labels, double value);
  void Add(std::string_view name, const Labels& labels, prometheus::ClientMetric histogram);

  // The text format 0.0.4. Families without a sample are left out.
  std::string Text() const;

 private:
  std::vector<prometheus::MetricFamily> families_;  // as in the catalog
};

}  // namespace lethe
