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

Status CommitProtocol::Obey() {
  while (const RecordedDecision* next = shard_.NextRecorded()) {
    switch (next->kind) {
      case RecordedDecision::Kind::kServe: {
        LETHE_RETURN_IF_ERROR(shard_.ServeRecorded());
        if (shard_.NextRecorded() == next) return Status::Ok();  // the next record finds the fault
        break;
      }
      case RecordedDecision::Kind::kErase: {
        const ClockReading then{next->time, 0};
        shard_.PopRecorded();
        LETHE_RETURN_IF_ERROR(CommitAndErase(then));
        break;
      }
      case RecordedDecision::Kind::kSlide: {
        const RecordedDecision slide = *next;
        shard_.PopRecorded();
        LETHE_RETURN_IF_ERROR(shard_.SlideAt(slide.before, slide.time));
        break;
      }
    }
  }
  return Status::Ok();
}

}  // namespace lethe
