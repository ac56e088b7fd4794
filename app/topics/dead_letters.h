#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "app/topics/access.h"
#include "engine/base/status.h"

namespace lethe {

// The position of a rejected record in its own topic, as the headers of its dead letter say.
struct DeadPlace {
  std::string topic;
  std::string partition;
  std::string offset;
  std::string timestamp;
  std::string message;  // what was wrong; never a value of the record
};

// A summary of a dead-letter topic.
struct DeadLetters {
  struct OfReason {
    std::int64_t count = 0;
    std::int64_t requests = 0;   // deletions among them, which were not carried out
    std::deque<DeadPlace> last;  // the newest at the back
  };
  std::map<std::string, OfReason> by_reason;
  std::int64_t total = 0;
  std::int64_t foreign = 0;  // messages that are no dead letters of Lethe
};

// Reads a dead-letter topic up to its present end. Keeps the last `last` positions of each reason.
// Reads headers only, never a payload. kUnavailable if no broker answers.
Result<DeadLetters> ReadDeadLetters(TopicAccess& access, const std::string& topic,
                                    std::size_t last);

std::string DeadLettersJson(const std::string& topic, const DeadLetters& letters);

}  // namespace lethe
