#include "metrics/http_metrics.h"

#include <prometheus/histogram.h>

#include <algorithm>
#include <vector>

#include "metrics/families.h"

namespace lethe {
namespace {

constexpr std::size_t kHandlers = static_cast<std::size_t>(HttpMetrics::Handler::kCount);
constexpr std::array<const char*, kHandlers> kNames = {
    "page", "metrics", "probe", "status", "model", "predict", "receipts", "forget", "other"};
constexpr std::array<const char*, 4> kClasses = {"2xx", "3xx", "4xx", "5xx"};

std::vector<double> Buckets() { return {0.001, 0.01, 0.1, 1, 10}; }

}  // namespace

struct HttpMetrics::Values {
  struct One {
    std::array<std::atomic<std::int64_t>, kClasses.size()> requests{};
    prometheus::Histogram seconds{Buckets()};
  };
  std::array<One, kHandlers> handlers;
};

HttpMetrics::HttpMetrics() : values_(std::make_unique<Values>()) {}
HttpMetrics::~HttpMetrics() = default;

void HttpMetrics::Observe(Handler handler, int status, double seconds) {
  Values::One& one = values_->handlers[static_cast<std::size_t>(handler)];
  const int code_class = std::clamp(status / 100 - 2, 0, static_cast<int>(kClasses.size()) - 1);
  one.requests[static_cast<std::size_t>(code_class)].fetch_add(1, std::memory_order_relaxed);
  one.seconds.Observe(seconds);
}

void HttpMetrics::AddTo(Families& families) const {
  for (std::size_t i = 0; i < kHandlers; ++i) {
    const Values::One& one = values_->handlers[i];
    for (std::size_t j = 0; j < kClasses.size(); ++j) {
      families.Add("lethe_http_requests_total", {{"handler", kNames[i]}, {"code", kClasses[j]}},
                   static_cast<double>(one.requests[j].load(std::memory_order_relaxed)));
    }
    families.Add("lethe_http_request_duration_seconds", {{"handler", kNames[i]}},
                 one.seconds.Collect());
  }
}

}  // namespace lethe
