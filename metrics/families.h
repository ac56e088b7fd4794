#pragma once

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lethe {

// A builder of one Prometheus exposition. Samples are added by the names of the catalog, in any
// order. Not thread-safe: each scrape makes its own. A name that is not in the catalog, or a value
// of another type than the catalog says, ends the program.
class Families {
 public:
  using Labels = std::vector<std::pair<const char*, std::string>>;

  Families();

  // Adds a sample of a counter or a gauge.
  void Add(std::string_view name, const Labels& labels, double value);
  // Adds a histogram.
  void Add(std::string_view name, const Labels& labels, prometheus::ClientMetric histogram);

  // The exposition in text format 0.0.4. Metrics without a sample are left out.
  std::string Text() const;

 private:
  std::vector<prometheus::MetricFamily> families_;  // in the order of the catalog
};

}  // namespace lethe
