#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/types.h"

namespace lethe {

// A copy of a message that was looked up in a topic.
struct FoundMessage {
  std::int32_t partition = 0;
  Offset offset;
  TimeMs timestamp = kNoTime;
  bool is_broker_time = false;  // the broker set the timestamp, and not the producer
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<std::pair<std::string, std::string>> headers;
};

}  // namespace lethe
