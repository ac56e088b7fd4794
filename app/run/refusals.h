#pragma once

#include <cstdint>
#include <string>

#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// The errors with which a state is refused, at the start (StartupFence) and while it runs
// (TopicWatch), in the same words. All are kInput, and say what to do.

inline constexpr char kBeginAnew[] =
    "Begin anew with another state.path (run --begin-anew): learning starts again from the topic, "
    "and its deletions are honoured again";

Status Refuse(ShardId shard, const std::string& what);

// The topic ends before the offset up to which it was read.
Status RefuseCutTopic(ShardId shard, Offset read, Offset end);
// The record at an offset is not the one that was read there.
Status RefuseNewTopic(ShardId shard, Offset offset);
// The number of partitions has changed.
Status RefusePartitions(ShardId shard, const std::string& topic, std::int64_t now,
                        std::int64_t before);
// Another state works on the shard, or has done so. `what` names the state that was found in the
// receipts topic. The message offers --begin-anew for a new state only.
Status RefuseSecondOwner(ShardId shard, const std::string& what, bool is_new);

}  // namespace lethe
