#pragma once

#include <cstdint>
#include <string>

#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// What is said when a state must not go on, at the start and while it runs, in the same words. All
// are kInput.

inline constexpr char kBeginAnew[] =
    "Begin anew with another state.path (run --begin-anew): learning starts again from the topic, "
    "and its deletions are honoured again";

Status Refuse(ShardId shard, const std::string& what);

// The topic ends before what was read of it.
Status RefuseCutTopic(ShardId shard, Offset read, Offset end);
// The record at an offset is another one than was read there.
Status RefuseNewTopic(ShardId shard, Offset offset);
Status RefusePartitions(ShardId shard, const std::string& topic, std::int64_t now,
                        std::int64_t before);
// `what` names the state that was found in the receipts topic. A new state may be told to begin
// anew, one that has learned may not.
Status RefuseSecondOwner(ShardId shard, const std::string& what, bool is_new);

}  // namespace lethe
