#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "app/topics/access.h"
#include "engine/base/status.h"

namespace lethe {

// Where a refused record stands in its own topic.
struct DeadPlace {
  std::string topic;
  std::string partition;
  std::string offset;
  std::string timestamp;
  std::string message;  // what was wrong; never what stood there
};

struct DeadLetters {
  struct OfReason {
    std::int64_t count = 0;
    std::int64_t requests = 0;   // among them: deletions that could not be read
    std::deque<DeadPlace> last;  // the newest behind
  };
  std::map<std::string, OfReason> by_reason;
  std::int64_t total = 0;
  std::int64_t foreign = 0;  // messages that are no dead letters of Lethe
};

// Reads a dead-letter topic through, and keeps the last few places of each reason. Never looks at a
// payload.
Result<DeadLetters> ReadDeadLetters(TopicAccess& access, const std::string& topic,
                                    std::size_t last);

std::string DeadLettersJson(const std::string& topic, const DeadLetters& letters);

}  // namespace lethe
