#pragma once

#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/topics/access.h"
#include "engine/base/status.h"

namespace lethe {

// The result of one check of `lethe check --online`.
struct Finding {
  enum class Level { kOk, kWarning, kBroken };  // kBroken: Lethe could not keep its promise

  Level level = Level::kOk;
  std::string topic;
  std::string what;  // and what to do
};

const char* Name(Finding::Level level);

// Checks the topics of a configuration as they are now: whether they exist, how long they keep
// records that a deletion should remove, whether compaction may remove unread records, which
// partitioner their keys follow, and whether this user may write. Writes nothing. Problems are
// findings; an error means that no broker answered.
Result<std::vector<Finding>> CheckOnline(const Config& config, TopicAccess& access);

}  // namespace lethe
