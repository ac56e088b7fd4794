#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"

namespace lethe {

// The port through which /v1/forget sends an erasure request to the source topic, where all other
// requests come from. Implementations are thread-safe: Ask is called by the HTTP threads, and may
// block until a broker has answered. An error leaves the gateway usable.
class ErasureGateway {
 public:
  virtual ~ErasureGateway() = default;

  // Returns once the request is in the topic, with its reference: `reference`, or a new one if
  // there is none. kUnavailable means that it is unknown whether the request arrived.
  virtual Result<std::string> Ask(const std::string& subject,
                                  const std::optional<std::string>& reference) = 0;

  // Subjects to propose in a demonstration; never those of real people.
  virtual std::vector<std::string> Suggestions() const { return {}; }
};

}  // namespace lethe
