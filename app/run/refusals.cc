#include "app/run/refusals.h"

namespace lethe {

Status Refuse(ShardId shard, const std::string& what) {
  return {ErrorCode::kInput, "shard " + std::to_string(shard.value) + ": " + what};
}

Status RefuseCutTopic(ShardId shard, Offset read, Offset end) {
  return Refuse(shard, "the state has read up to offset " + std::to_string(read.value) +
                           ", the topic ends at " + std::to_string(end.value) +
                           ": it was truncated or made anew. " + kBeginAnew);
}

Status RefuseNewTopic(ShardId shard, Offset offset) {
  return Refuse(shard, "the record at offset " + std::to_string(offset.value) +
                           " is not the one that was read: the topic was made anew. " + kBeginAnew);
}

Status RefusePartitions(ShardId shard, const std::string& topic, std::int64_t now,
                        std::int64_t before) {
  return Refuse(shard, "topic " + topic + " has " + std::to_string(now) + " partitions, and had " +
                           std::to_string(before) +
                           " when the state was made. Keys have moved, so a deletion would not "
                           "reach the shard that learned the event. " +
                           kBeginAnew);
}

Status RefuseSecondOwner(ShardId shard, const std::string& what, bool is_new) {
  if (!is_new) {
    return Refuse(shard, what +
                             ": it has a second owner, or this state is an old one. Stop here and "
                             "find out which of the two is to go on");
  }
  return Refuse(shard, what +
                           ". If it is still running, this one must not. If it is lost, run "
                           "--begin-anew: learning starts again from the topic, its deletions are "
                           "honoured again, and the new chain says so");
}

}  // namespace lethe
