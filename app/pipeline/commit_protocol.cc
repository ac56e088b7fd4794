#include "app/pipeline/commit_protocol.h"

namespace lethe {

Status CommitProtocol::Commit() {
  LETHE_RETURN_IF_ERROR(steps_.DeliverOutgoing());
  const bool has_news = shard_.has_news();
  LETHE_RETURN_IF_ERROR(shard_.Commit(steps_.NeedsSync()));
  LETHE_RETURN_IF_ERROR(steps_.Release(has_news));
  return shard_.Publish();
}

Status CommitProtocol::CommitAndErase(const std::optional<ClockReading>& by_timer) {
  LETHE_RETURN_IF_ERROR(Commit());
  return shard_.Erase(by_timer);
}

Status CommitProtocol::Process(const Position& position, const Item& item,
                               const LookupResult* lookup) {
  if (shard_.IsErasureDue(position)) LETHE_RETURN_IF_ERROR(CommitAndErase(std::nullopt));
  return shard_.Process(position, item, lookup);
}

Status CommitProtocol::ServeByTimer(const ClockReading& now, bool is_silent) {
  if (shard_.IsErasureDue(now, is_silent)) LETHE_RETURN_IF_ERROR(CommitAndErase(now));
  return shard_.ServeByTimer(now, is_silent);
}

}  // namespace lethe
