#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"

namespace lethe {

// Takes erasure requests over HTTP to where all others come from: the topic. Thread-safe.
class ErasureGateway {
 public:
  virtual ~ErasureGateway() = default;

  // Returns the request's reference, `reference` or else a new one, when the request is in the
  // topic. kUnavailable: whether it is there is not known.
  virtual Result<std::string> Ask(const std::string& subject,
                                  const std::optional<std::string>& reference) = 0;

  // Names to try, for a demonstration; never of real people.
  virtual std::vector<std::string> Suggestions() const { return {}; }
};

}  // namespace lethe
