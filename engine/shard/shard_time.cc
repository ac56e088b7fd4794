// Shard: event time, and the decisions that the clocks of the process make.

#include <algorithm>
#include <utility>

#include "engine/base/archive.h"
#include "engine/base/check.h"
#include "engine/shard/shard.h"

namespace lethe {
namespace {

// Rounds up to a whole second. A finer time would reveal the duration of the computation before it,
// which depends on data.
TimeMs WholeSecond(TimeMs time) { return {(time.value + 999) / 1000 * 1000}; }

}  // namespace

TimeMs Shard::TimeAfter(const Position& position) const {
  return std::max(now_,
                  bound_.After(position.timestamp, position.arrival).Count(position.timestamp));
}

void Shard::AdvanceTime(const Position& position) {
  const TimeMs before = std::exchange(now_, TimeAfter(position));
  if (now_ > before) ports_.state.ExpireRefusals(now_);
  if (position.arrival == kNoTime || position.timestamp == kNoTime) return;
  bound_ = bound_.After(position.timestamp, position.arrival);
  ++counters_.notices;
  Append(ChainKind::kNotice, WriteClockNotice({.state = identity_.state,
                                               .shard = id_,
                                               .offset = position.offset,
                                               .time = position.timestamp,
                                               .arrival = position.arrival},
                                              previous_));
}

Shard::Moment Shard::ByClock(const ClockReading& now, EffectiveBy by) const {
  return {{next_.value - 1}, WholeSecond(now.wall), by, false};
}

bool Shard::IsErasureDue(const Position& position) const {
  return !erasures_.empty() && TimeAfter(position).value - erasures_.front().effective.value >=
                                   plan_.spec.erase_within_ms / 2;
}

bool Shard::IsErasureDue(const ClockReading& now, bool is_silent) {
  const std::int64_t limit =
      plan_.spec.erase_within_ms / 2 + (is_silent ? 0 : PendingRequests::kGraceMs);
  return erasures_.HasWaited(now, limit);
}

Status Shard::Erase(const std::optional<ClockReading>& by_timer) {
  LETHE_CHECK(!has_news());
  LETHE_RETURN_IF_ERROR(ports_.state.Erase());
  const TimeMs time = by_timer ? WholeSecond(by_timer->wall) : last_time_;
  for (const Erasure& erasure : erasures_.all()) {
    TellStage(ErasureStage::kErased, erasure.received, by_timer ? time : std::min(time, now_));
    ++counters_.notices;
    Append(ChainKind::kNotice, WriteErasedNotice({.receipt = erasure.receipt,
                                                  .state = identity_.state,
                                                  .shard = id_,
                                                  .receipt_sha256 = erasure.receipt_sha256,
                                                  .offset = {next_.value - 1},
                                                  .time = time,
                                                  .by_timer = by_timer.has_value()},
                                                 previous_));
  }
  erasures_.Clear();
  return Status::Ok();
}

void Shard::TellStage(ErasureStage stage, TimeMs received, TimeMs reached) const {
  if (received == kNoTime || reached == kNoTime) return;
  const std::int64_t ms = std::max<std::int64_t>(0, reached.value - received.value);
  ports_.probe.OnStage(id_, stage, WholeSecond({ms}).value / 1000);
}

void Shard::SaveClock() {
  std::vector<TimeMs> requests;
  for (const PendingRequest& request : pending_.requests()) {
    requests.push_back(request.waited.began());
  }
  SavingArchive archive;
  archive(bound_, requests, erasures_.FirstTimes());
  ports_.state.Put(Part::kClock, archive.Take());
}

Status Shard::LoadClock() {
  const auto saved = ports_.state.Get(Part::kClock);
  if (!saved) return Status::Ok();  // an older version of the program did not write this part
  std::vector<TimeMs> requests;
  std::vector<std::pair<TimeMs, TimeMs>> erasures;
  LoadingArchive archive(*saved);
  archive(bound_, requests, erasures);
  if (!archive.complete() || requests.size() != pending_.size() ||
      !erasures_.SetFirstTimes(erasures)) {
    return {ErrorCode::kInput,
            "shard " + std::to_string(id_.value) + ": the stored times cannot be read"};
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    pending_.requests()[i].waited = Stopwatch(requests[i]);
  }
  return Status::Ok();
}

}  // namespace lethe
