#pragma once

#include <map>
#include <string>
#include <utility>

#include "app/topics/access.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// When records with a timestamp in the future arrived, by shard and offset, as the notices of a
// daemon in its receipts topic say. Of several daemons that have read the same record, the last
// one counts. Empty if there is no such topic.
using ClockNotices = std::map<std::pair<ShardId, Offset>, TimeMs>;
Result<ClockNotices> ReadClockNotices(TopicAccess& access, const std::string& receipts_topic);

}  // namespace lethe
