// Shard: the window of a mode that lets old events expire.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/archive.h"
#include "engine/shard/shard.h"
#include "engine/spec/retention.h"

namespace lethe {

// A window in time begins with the event of the anchor, and slides when it is twice W long. The new
// anchor is the first event that was learned W or more after the old one. A pause may have lasted
// so long that this event is too old as well; then nothing is left, and the next event begins a new
// window. All this depends on positions and times alone, never on which events are retained.
void Shard::SlideInTime(const Moment& moment, TimeMs now) {
  const auto is_over = [&](TimeMs began) { return now.value - began.value >= 2 * window_ms_; };
  if (window_ms_ == 0 || window_.anchor_time == kNoTime || !is_over(window_.anchor_time)) return;
  const bool is_empty = window_.middle_time == kNoTime || is_over(window_.middle_time);
  unlearner_->SlideTo(is_empty ? EventIndex{steps()} : window_.middle);
  Slide(moment, is_empty ? kNoTime : window_.middle_time);
}

Status Shard::SlideAt(EventIndex before, TimeMs time) {
  const std::int64_t slides = unlearner_->slides();
  SlideInTime({.offset = {next_.value - 1},
               .timestamp = time,
               .by = EffectiveBy::kTimer,
               .is_at_record = false},
              time);
  if (unlearner_->slides() > slides && anchor_ == before) return Status::Ok();
  return {ErrorCode::kInput,
          "shard " + std::to_string(id_.value) + ", offset " + std::to_string(next_.value - 1) +
              ": a notice says that events before index " + std::to_string(before.value) +
              " expired here, and with this stream and configuration they do "
              "not; the notices are those of another run"};
}

void Shard::NoteTime(EventIndex index) {
  if (now_ == kNoTime || !unlearner_->expires()) return;
  // Events before the first timestamp count as learned at that time.
  if (window_.anchor_time == kNoTime && (index == anchor_ || window_ms_ > 0)) {
    window_.anchor_time = now_;
    return;
  }
  const bool is_middle = window_ms_ == 0 ? index.value == anchor_.value + unlearner_->window()
                                         : window_.middle_time == kNoTime &&
                                               now_.value - window_.anchor_time.value >= window_ms_;
  if (!is_middle) return;
  window_.middle = index;
  window_.middle_time = now_;
}

std::string Shard::RetentionInWords() const {
  Retention retention = plan_.spec.forgetting.retention;
  if (unlearner_->window() > 0) retention = {.events = 2 * unlearner_->window()};
  return ToText(retention);
}

bool Shard::LacksClock() const { return window_ms_ > 0 && now_ == kNoTime; }

// What is known of the events before the new anchor goes. In a mode with a window everything that
// depends on them goes too, or begins anew. The notice makes the commit a synced one, so that no
// byte is erased before the change is durable.
void Shard::Slide(const Moment& moment, TimeMs time) {
  const bool covers_old = unlearner_->covers_old();
  anchor_ = unlearner_->anchor();
  const bool is_empty = anchor_.value == steps();
  window_.anchor_time = time;
  window_.expired_time = time == kNoTime && is_empty ? now_ : time;
  window_.middle_time = kNoTime;
  ports_.state.DropBefore(anchor_);
  seen_.DropBefore(anchor_);
  window_.since = model_version();
  if (!covers_old) {
    ports_.state.RetireModels();
    window_.retained = ports_.payloads.count();
    clean_from_ = window_.since;
    ports_.probe.OnExpired(id_);
  }
  ++counters_.notices;
  Append(ChainKind::kNotice, WriteExpiredNotice({.state = identity_.state,
                                                 .shard = id_,
                                                 .anchor = anchor_,
                                                 .anchor_time = window_.expired_time,
                                                 .retained = window_.retained,
                                                 .model_version = window_.since,
                                                 .offset = moment.offset,
                                                 .time = moment.timestamp,
                                                 .by_timer = moment.by == EffectiveBy::kTimer,
                                                 .is_covered = covers_old},
                                                previous_));
  if (now_ != kNoTime) erasures_.Add({{}, previous_, now_, kNoTime, {}});
}

// What the request names may be an event that was dropped, on which the model depends by less than
// rounding. Without noise even that would show, so it is drawn for, as for any other deletion.
Status Shard::AnswerUnmatched(const Position& position, Receipt receipt,
                              const std::optional<KeyHash>& subject) {
  if (receipt.outcome != Outcome::kNotRetained || !MayNameOld()) {
    AppendReceipt(receipt);
    return Status::Ok();
  }
  const auto forgetting = unlearner_->ForgetUnknown(subject);
  if (!forgetting.ok()) return forgetting.status();
  const double sigma = forgetting.value().sigma;
  ports_.state.RetireModels();
  ++counters_.effective_deletions;
  ++counters_.draws;
  last_sigma_ = sigma;
  counters_.noise_variance += sigma * sigma;
  clean_from_ = model_version();
  regret_bound_.Draw(sigma, 0, forgetting.value().shrink);
  ports_.probe.OnEffective(id_, {}, forgetting.value());
  SetEffective(At(position), receipt);
  if (subject) SetPromise(plan_.shards, receipt);
  receipt.forgetting = forgetting.value();
  receipt.why_not = why_not_;
  AppendReceipt(receipt);
  TellStage(ErasureStage::kEffective, receipt.received_time, std::min(position.timestamp, now_));
  if (now_ != kNoTime) {
    erasures_.Add({receipt.uuid, previous_, now_, receipt.received_time, {}});
  }
  return Status::Ok();
}

bool Shard::IsDuplicate(const KeyHash& id) const {
  return ports_.state.FindId(id) || (!seen_.empty() && seen_.Has(LastingOf(id)));
}

void Shard::NoteSeen(const KeyHash& id, EventIndex index) {
  if (DropsOld()) seen_.Add(pseudonymizer_.Lasting(id), index);
}

bool Shard::IsRefused(const Position& position, const AdmittedLearn& learn) const {
  if (!ports_.state.has_refusals()) return false;
  if (ports_.state.FindRefusal(LastingOf(learn.id))) return true;
  // Records in order of time are never refused for their subject, so most need no look-up.
  if (!learn.subject || !position.has_producer_time() ||
      position.timestamp > window_.refused_up_to) {
    return false;
  }
  if (const auto known = recent_.IsRefused(*learn.subject, position.timestamp, now_)) return *known;
  const auto refusal = ports_.state.FindRefusal(pseudonymizer_.Lasting(*learn.subject));
  return refusal && position.timestamp <= refusal->up_to;
}

// Once ids have expired, an old event that is sent again cannot be told from a new one by its id.
// Its own timestamp tells: the producer made it before the request. A request from the future
// counts as event time does.
void Shard::RefuseSubject(const Position& position, const KeyHash& subject, Receipt& receipt) {
  const KeyHash lasting = pseudonymizer_.Lasting(subject);
  const auto old = ports_.state.FindRefusal(lasting);
  Refusal refusal = RefusalFor(receipt);
  if (!refusal.forgotten && old) {
    refusal.receipt = old->receipt;
    refusal.forgotten = old->forgotten;
  }
  if (old) refusal.up_to = old->up_to;
  if (DropsOld()) {
    receipt.refuses_by_time = position.has_producer_time();
    if (*receipt.refuses_by_time) {
      refusal.up_to = std::max(refusal.up_to, std::min(position.timestamp, now_));
      window_.refused_up_to = std::max(window_.refused_up_to, refusal.up_to);
    }
  }
  ports_.state.Refuse(lasting, refusal);
  recent_.Set(subject, refusal);
}

void Shard::SaveWindow() {
  if (!DropsOld()) return;
  window_.not_retained = counters_.outcomes[static_cast<std::size_t>(Outcome::kNotRetained)];
  std::vector<std::optional<bool>> refuses;
  for (const PendingRequest& request : pending_.requests()) {
    refuses.push_back(request.receipt.refuses_by_time);
  }
  SavingArchive archive;
  archive(window_, refuses);
  ports_.state.Put(Part::kWindow, archive.Take());
  seen_.Save(ports_.state);
}

Status Shard::LoadWindow() {
  anchor_ = unlearner_->anchor();
  if (!DropsOld()) return Status::Ok();
  const auto saved = ports_.state.Get(Part::kWindow);
  // Mode passive did not write this part before it dropped events.
  if (!saved && unlearner_->covers_old()) return Status::Ok();
  LoadingArchive archive(saved ? *saved : std::string_view());
  std::vector<std::optional<bool>> refuses;
  archive(window_, refuses);
  if (!archive.complete() || refuses.size() != pending_.size()) {
    return {ErrorCode::kInput,
            "shard " + std::to_string(id_.value) + ": the stored window cannot be read"};
  }
  for (std::size_t i = 0; i < refuses.size(); ++i) {
    pending_.requests()[i].receipt.refuses_by_time = refuses[i];
  }
  counters_.outcomes[static_cast<std::size_t>(Outcome::kNotRetained)] = window_.not_retained;
  recent_.BeginAfter(window_.refused_up_to);
  return seen_.Load(ports_.state);
}

}  // namespace lethe
