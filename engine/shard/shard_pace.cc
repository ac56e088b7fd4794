// Shard: when the requests that wait take effect.

#include "engine/base/check.h"
#include "engine/shard/shard.h"

namespace lethe {

std::size_t Shard::CountDue() const {
  return pending_.CountDue(steps(), now_, [this](const std::vector<Target>& targets) {
    return unlearner_->SigmaNow(targets);
  });
}

bool Shard::MayRewind(bool may_use_copy) {
  if (!pacer_.is_active()) return true;
  const std::int64_t ns = unlearner_->RewindNs();
  if (ns == 0) return true;  // also after a slide, which has learned the retained events again
  if (!is_preparing_) {
    if (!pacer_.MayBegin()) return false;
    if (!pacer_.IsLong(ns)) return true;
    if (!may_use_copy) return false;
    is_preparing_ = true;
    pacer_.Begin(ns);
    return false;
  }
  if (!may_use_copy) return false;
  if (!pacer_.IsLong(ns)) return true;
  const std::int64_t slice = pacer_.TakeSlice();
  return slice > 0 && unlearner_->PrepareForget(slice);
}

Status Shard::ServeDue(const Position& position) {
  if (record_ != nullptr) return ServeRecorded();
  const std::size_t due = is_deferred_ ? pending_.size() : CountDue();
  if (due == 0) return Status::Ok();
  if (!MayRewind(false)) {
    is_deferred_ = true;
    return Status::Ok();
  }
  Moment moment = At(position);
  if (is_deferred_) moment.by = EffectiveBy::kGroup;
  return Serve(moment, due);
}

// While records arrive, the stream alone decides when a window in time slides. A backlog is thus
// learned as it would have been when it was new.
Status Shard::ServeByTimer(const ClockReading& now, bool is_silent) {
  const Moment moment = ByClock(now, EffectiveBy::kTimer);
  if (is_silent) SlideInTime(moment, moment.timestamp);
  if (pending_.size() == 0) return Status::Ok();
  const std::size_t due = pending_.CountDueByClock(now, is_silent);
  if (!is_deferred_ && due == 0) return Status::Ok();
  const bool was_deferred = is_deferred_;
  is_deferred_ = !MayRewind(true);
  if (is_deferred_) return Status::Ok();
  is_deferred_ = was_deferred;
  return Serve(ByClock(now, was_deferred ? EffectiveBy::kGroup : EffectiveBy::kTimer),
               was_deferred ? pending_.size() : due);
}

Status Shard::ServeDeferred(const ClockReading& now) {
  if (!is_deferred_ || record_ != nullptr) return Status::Ok();
  return Serve(ByClock(now, EffectiveBy::kGroup), pending_.size());
}

Status Shard::ServeRecorded() {
  const Offset here{next_.value - 1};
  for (const RecordedDecision* next = record_->next();
       next != nullptr && next->kind == RecordedDecision::Kind::kServe && next->offset == here &&
       next->index == steps();
       next = record_->next()) {
    const RecordedDecision decision = *next;
    record_->Pop();
    const auto& waiting = pending_.requests();
    bool agrees = decision.received.size() <= waiting.size();
    for (std::size_t i = 0; agrees && i < decision.received.size(); ++i) {
      agrees = decision.received[i] == waiting[i].receipt.received;
    }
    if (!agrees) {
      return {ErrorCode::kInput,
              decision.place + ": says that a request took effect at offset " +
                  std::to_string(here.value) +
                  " which does not wait there in the replay. Give the replay the stream and the "
                  "configuration that these receipts were written with"};
    }
    LETHE_RETURN_IF_ERROR(Serve({.offset = here,
                                 .timestamp = decision.time,
                                 .by = decision.by,
                                 .is_at_record = decision.by == EffectiveBy::kStream},
                                decision.received.size()));
    if (clean_from_ == decision.model_version) continue;
    return {ErrorCode::kInput, decision.place + ": has model version " +
                                   std::to_string(decision.model_version.value) +
                                   ", and the replay has " + std::to_string(clean_from_.value)};
  }
  return Status::Ok();
}

Status Shard::CheckRecorded(Offset record) const {
  LETHE_RETURN_IF_ERROR(record_->CheckBefore(record));
  if (!pending_.at_once()) return Status::Ok();
  for (const PendingRequest& request : pending_.requests()) {
    if (request.is_grouped) continue;
    return {ErrorCode::kInput, record_->end() + ": nothing says when the request of offset " +
                                   std::to_string(request.receipt.received.value) +
                                   " took effect. The receipts end before it, or they are those "
                                   "of another stream"};
  }
  return Status::Ok();
}

const RecordedDecision* Shard::NextRecorded() const {
  const RecordedDecision* const next = record_ == nullptr ? nullptr : record_->next();
  return next != nullptr && next->offset.value == next_.value - 1 ? next : nullptr;
}

}  // namespace lethe
