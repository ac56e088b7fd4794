#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace lethe {

class Families;

// Requests by kind of path and class of the answer, and how long they took. Both label sets are
// closed, so that no client can make series: a path that does not exist is "other". Thread-safe.
class HttpMetrics {
 public:
  // What a path is for. One that is refused before it is looked up is kOther.
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

  // `status` as in the answer; `seconds` from the end of the request's head to the end of the
  // answer.
  void Observe(Handler handler, int status, double seconds);

  void AddTo(Families& families) const;

 private:
  struct Values;
  const std::unique_ptr<Values> values_;
};

}  // namespace lethe
