#pragma once

#include <map>
#include <string>
#include <utility>

#include "app/topics/access.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// The arrival times of records whose timestamp was in the future, by shard and offset, from the
// notices that a daemon has written to its receipts topic. If several daemons have read the same
// record, the last notice counts. Empty if the topic cannot be found.
using ClockNotices = std::map<std::pair<ShardId, Offset>, TimeMs>;
Result<ClockNotices> ReadClockNotices(TopicAccess& access, const std::string& receipts_topic);

}  // namespace lethe
