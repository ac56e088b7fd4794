#include "engine/shard_runner.h"

namespace lethe {

Status ShardRunner::Process(const Record& record, const Elsewhere* elsewhere,
                            const Admitted* admitted) {
  if (shard_.IsErasureDue(record)) LETHE_RETURN_IF_ERROR(CommitAndErase(std::nullopt));
  return shard_.Process(record, elsewhere, admitted);
}

Status ShardRunner::ServeByTimer(const ClockReading& now, bool is_silent) {
  if (shard_.IsErasureDue(now, is_silent)) LETHE_RETURN_IF_ERROR(CommitAndErase(now));
  return shard_.ServeByTimer(now, is_silent);
}

Status ShardRunner::Commit() {
  LETHE_RETURN_IF_ERROR(hooks_.BeforeCommit());
  const bool has_news = shard_.has_news();
  LETHE_RETURN_IF_ERROR(shard_.Commit(hooks_.NeedsSync()));
  LETHE_RETURN_IF_ERROR(hooks_.AfterCommit(has_news));
  return shard_.Publish();
}

Status ShardRunner::CommitAndErase(const std::optional<ClockReading>& by_timer) {
  LETHE_RETURN_IF_ERROR(Commit());
  return shard_.Erase(by_timer);
}

}  // namespace lethe
