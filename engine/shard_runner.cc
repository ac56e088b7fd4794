#include "engine/shard_runner.h"

namespace lethe {

Status ShardRunner::Process(const Record& record, const Elsewhere* elsewhere,
                            const Admitted* admitted) {
  LETHE_RETURN_IF_ERROR(EraseIfDue(record.timestamp, false));
  return shard_.Process(record, elsewhere, admitted);
}

Status ShardRunner::ServeByTimer(TimeMs now) {
  LETHE_RETURN_IF_ERROR(EraseIfDue(now, true));
  return shard_.ServeByTimer(now);
}

Status ShardRunner::Commit() {
  LETHE_RETURN_IF_ERROR(hooks_.BeforeCommit());
  const bool has_news = shard_.has_news();
  LETHE_RETURN_IF_ERROR(shard_.Commit());
  return hooks_.AfterCommit(has_news);
}

Status ShardRunner::EraseIfDue(TimeMs now, bool by_timer) {
  if (!shard_.IsErasureDue(now)) return Status::Ok();
  LETHE_RETURN_IF_ERROR(Commit());
  return shard_.Erase(by_timer);
}

}  // namespace lethe
