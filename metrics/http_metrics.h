#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace lethe {

class Families;

// Counters and durations of HTTP requests, by kind of path and class of status. Both label sets are
// closed, so that no client can create series: a path that does not exist counts as "other".
// Thread-safe and lock-free but for the histogram. It cannot fail.
class HttpMetrics {
 public:
  // The kind of a path. A request that is refused before its path is looked up counts as kOther.
  enum class Handler {
    kPage,
    kMetrics,
    kProbe,
    kStatus,
    kModel,
    kPredict,
    kReceipts,
    kForget,
    kOther,
    kCount
  };

  HttpMetrics();
  ~HttpMetrics();

  // Counts one request. `status` is that of the answer; `seconds` is the time from the end of the
  // request's head to the end of the answer.
  void Observe(Handler handler, int status, double seconds);

  // Adds all counters, including those at 0.
  void AddTo(Families& families) const;

 private:
  struct Values;
  const std::unique_ptr<Values> values_;
};

}  // namespace lethe
