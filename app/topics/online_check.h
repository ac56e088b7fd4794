#pragma once

#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/topics/access.h"
#include "engine/base/status.h"

namespace lethe {

// One thing that was looked at.
struct Finding {
  enum class Level { kOk, kWarning, kBroken };  // kBroken: what is promised would not be kept

  Level level = Level::kOk;
  std::string topic;
  std::string what;  // and what to do
};

const char* Name(Finding::Level level);

// Looks at the topics of a configuration as they are now: whether they are there, how long they
// keep what a deletion should remove, whether compaction may remove what was not read, where keys
// are, and whether this user may write. Writes nothing. An error only when no broker answers.
Result<std::vector<Finding>> CheckOnline(const Config& config, TopicAccess& access);

}  // namespace lethe
