#include "engine/shard/shard.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/json.h"
#include "engine/plan.h"
#include "engine/spec/config_hash.h"
#include "engine/spec/dimension.h"
#include "engine/spec/retention.h"

namespace lethe {

Shard::Shard(const Plan& plan, const ShardIdentity& identity, const ShardPorts& ports)
    : plan_(plan),
      identity_(identity),
      id_(identity.shard),
      ports_(ports),
      pseudonymizer_(ports.hasher, identity),
      config_sha256_(ConfigSha256(plan.spec, ports.hasher)),
      why_not_(plan.WhyNotCertified()),
      window_ms_(RewindWindowMs(plan.spec.forgetting)),
      pending_(plan.spec.forgetting),
      regret_bound_(plan.constants, ModelDimension(plan.spec)) {
  unlearner_ = MakeUnlearner(plan_, id_, ports.random, ports.payloads);
}

ModelVersion Shard::model_version() const {
  return {steps() + counters_.effective_deletions + unlearner_->slides()};
}

std::optional<double> Shard::regret_bound() const {
  if (!plan_.schedule.is_public() || plan_.mode->moves_model) return std::nullopt;
  return regret_bound_.Total();
}

// A commit with chain entries is always synced: they will be published, and after a crash of the
// machine the state must still have them.
Status Shard::Commit(bool sync) {
  if (ports_.state.is_durable()) Save();
  sync = sync || has_news();
  LETHE_RETURN_IF_ERROR(ports_.state.Commit(sync));
  if (sync) synced_version_ = model_version();
  return Status::Ok();
}

Status Shard::Publish() {
  for (const auto& [kind, bytes] : outbox_) {
    LETHE_RETURN_IF_ERROR(ports_.sink.Publish(id_, kind, bytes));
  }
  outbox_.clear();
  return Status::Ok();
}

Membership Shard::Find(const Request& request) const {
  LETHE_CHECK(request.id || request.subject);
  const KeyHash name =
      request.id ? pseudonymizer_.Id(*request.id) : pseudonymizer_.Subject(*request.subject);
  const bool is_learned =
      request.id ? ports_.state.FindId(name).has_value() : !ports_.state.FindSubject(name).empty();
  if (is_learned) return Membership::kLearned;
  // A person whose events were dropped may have been forgotten before they were learned.
  if (MayNameOld() && !request.is_replacement && !request.id) return Membership::kLearned;
  const auto refusal = ports_.state.FindRefusal(pseudonymizer_.Lasting(name));
  if (refusal && refusal->forgotten) return Membership::kForgotten;
  return MayNameOld() && !request.is_replacement ? Membership::kLearned : Membership::kUnknown;
}

// Time advances first. Then a window in time slides, so that the record is learned by a model
// without expired events. Then the item is applied, and then the requests that are due take effect,
// so that a deadline which this record reaches is served at this record.
Status Shard::Process(const Position& position, const Item& item, const LookupResult* lookup) {
  LETHE_CHECK(!IsErasureDue(position));
  if (record_ != nullptr) LETHE_RETURN_IF_ERROR(CheckRecorded(position.offset));
  ++counters_.records;
  next_ = {position.offset.value + 1};
  AdvanceTime(position);
  last_time_ = position.timestamp;
  SlideInTime(At(position), now_);
  LETHE_RETURN_IF_ERROR(std::visit(
      [&](const auto* content) {
        if constexpr (std::is_same_v<decltype(content), const Request*>) {
          return Take(position, *content, lookup);
        } else {
          return Take(position, *content);
        }
      },
      item));
  return pending_.size() == 0 ? Status::Ok() : ServeDue(position);
}

Status Shard::Take(const Position& position, const Rejection& rejection) {
  ++counters_.rejected[static_cast<std::size_t>(rejection.reason)];
  ports_.probe.OnRejected(id_, position.offset, rejection);
  if (!rejection.is_request) return Status::Ok();
  Receipt receipt = NewReceipt(position, Outcome::kRejected);
  receipt.reason = rejection.reason;
  receipt.why_not = {"the request could not be read"};
  AppendReceipt(receipt);
  return Status::Ok();
}

void Shard::Prefetch(const AdmittedLearn& learn) const {
  ports_.state.Prefetch(learn.id, learn.subject);
  unlearner_->Prefetch(learn.example);
  if (!WantsLasting()) return;
  const KeyHash lasting = pseudonymizer_.Lasting(learn.id);
  lasting_[learn.id.low % lasting_.size()] = {learn.id, lasting};
  seen_.Prefetch(lasting);
  ports_.state.PrefetchRefusal(lasting);
}

KeyHash Shard::LastingOf(const KeyHash& id) const {
  const auto& [known, lasting] = lasting_[id.low % lasting_.size()];
  return known == id ? lasting : pseudonymizer_.Lasting(id);
}

void Shard::LearnAs(const Position& position, const AdmittedLearn& learn, bool is_update) {
  const LearnedEvent learned{
      .index = {steps()}, .offset = position.offset, .id = learn.id, .subject = learn.subject};
  if (plan_.schedule.is_public()) regret_bound_.Step(plan_.schedule.Step(steps() + 1));
  const double squared_norm = unlearner_->SquaredNorm();
  const Prediction prediction = unlearner_->LearnOf(learned.subject, learn.example);
  ports_.state.AddEvent(learned);
  ++(is_update ? counters_.updates : counters_.learned);
  ++window_.retained;
  ports_.probe.OnLearn(id_, {.index = learned.index,
                             .prediction = prediction,
                             .squared_norm = squared_norm,
                             .example = learn.example,
                             .unknown_members = learn.unknown_members});
  NoteTime(learned.index);
  if (unlearner_->anchor() != anchor_) {
    const bool is_known = unlearner_->anchor() == window_.middle;
    Slide(At(position), is_known ? window_.middle_time : kNoTime);
  }
}

Status Shard::Take(const Position& position, const AdmittedLearn& learn) {
  const bool is_refused = IsRefused(position, learn);
  if (!is_refused && !IsDuplicate(learn.id)) {
    LearnAs(position, learn, false);
    return Status::Ok();
  }
  ++(is_refused ? counters_.refused_late : counters_.duplicates);
  NoteSeen(learn.id, {steps() - 1});
  return Status::Ok();
}

Status Shard::Take(const Position& position, const AdmittedUpdate& update) {
  if (IsRefused(position, update.learn)) {
    ++counters_.refused_late;
    NoteSeen(update.learn.id, {steps() - 1});
    return Status::Ok();
  }
  if (const auto old = ports_.state.FindId(update.learn.id)) {
    LETHE_RETURN_IF_ERROR(Replace(position, update.replaced, *old));
    // Without a wait, the old version is forgotten before the new one is learned.
    LETHE_RETURN_IF_ERROR(ServeDue(position));
  }
  LearnAs(position, update.learn, true);
  return Status::Ok();
}

Status Shard::Replace(const Position& position, const Request& request, const LearnedEvent& old) {
  Receipt receipt = NewReceipt(position, Outcome::kForgotten);
  receipt.request = request.reference;
  receipt.is_update = true;
  return Receive(std::move(receipt), {old});
}

Status Shard::Take(const Position& position, const Request& request, const LookupResult* lookup) {
  LETHE_CHECK(request.id || request.subject);
  if (request.is_replacement) {
    const auto old = ports_.state.FindId(pseudonymizer_.Id(*request.id));
    return old ? Replace(position, request, *old) : Status::Ok();
  }
  ++counters_.requests;
  return request.id ? DeleteById(position, request, lookup)
                    : DeleteBySubject(position, request, lookup);
}

Status Shard::DeleteById(const Position& position, const Request& request,
                         const LookupResult* lookup) {
  const KeyHash id = pseudonymizer_.Id(*request.id);
  const KeyHash lasting = pseudonymizer_.Lasting(id);
  if (const auto event = ports_.state.FindId(id)) {
    Receipt receipt = NewReceipt(position, Outcome::kForgotten);
    receipt.request = request.reference;
    ports_.state.Refuse(lasting, RefusalFor(receipt));
    return Receive(std::move(receipt), {*event});
  }
  const Receipt receipt =
      NotForgotten(position, request, ports_.state.FindRefusal(lasting), lookup);
  // The refusal makes sure that a late learn of this id is not learned.
  if (receipt.outcome == Outcome::kNothingLearned || receipt.outcome == Outcome::kNotRetained) {
    ports_.state.Refuse(lasting, RefusalFor(receipt));
  }
  return AnswerUnmatched(position, receipt, std::nullopt);
}

Status Shard::DeleteBySubject(const Position& position, const Request& request,
                              const LookupResult* lookup) {
  const KeyHash subject = pseudonymizer_.Subject(*request.subject);
  const KeyHash lasting = pseudonymizer_.Lasting(subject);
  std::vector<LearnedEvent> events = ports_.state.FindSubject(subject);
  if (events.empty()) {
    Receipt receipt = NotForgotten(position, request, ports_.state.FindRefusal(lasting), lookup);
    receipt.subject = pseudonymizer_.SubjectInReceipt(*request.subject);
    if (DropsOld()) RefuseSubject(position, subject, receipt);
    return AnswerUnmatched(position, std::move(receipt), lasting);
  }
  Receipt receipt = NewReceipt(position, Outcome::kForgotten);
  receipt.request = request.reference;
  receipt.subject = pseudonymizer_.SubjectInReceipt(*request.subject);
  const bool is_known = lookup != nullptr && lookup->holders > 0;
  SetPromise(is_known ? lookup->holders : plan_.shards, receipt);
  const Refusal refusal = RefusalFor(receipt);
  for (const LearnedEvent& event : events)
    ports_.state.Refuse(pseudonymizer_.Lasting(event.id), refusal);
  RefuseSubject(position, subject, receipt);
  return Receive(std::move(receipt), std::move(events));
}

Status Shard::Receive(Receipt receipt, std::vector<LearnedEvent> events) {
  PendingRequest request{
      .receipt = std::move(receipt), .targets = {}, .steps = steps(), .time = now_, .waited = {}};
  for (const LearnedEvent& event : events) {
    request.targets.push_back({event.index, {}});
    if (event.subject) request.targets.back().subject = pseudonymizer_.Lasting(*event.subject);
    ports_.state.RemoveEvent(event);
    NoteSeen(event.id, event.index);
    --window_.retained;
  }
  unlearner_->Release(request.targets);
  request.receipt.events = std::move(events);
  const Offset received = request.receipt.received;
  pending_.Add(std::move(request));
  PendingRequest& added = pending_.requests().back();
  if (pending_.at_once()) {
    added.is_grouped = record_ != nullptr ? record_->TakeWait(received) : !MayRewind(false);
    if (!added.is_grouped) return Status::Ok();
  } else if (record_ != nullptr) {
    record_->TakeWait(received);
  }
  ++counters_.notices;
  Append(ChainKind::kNotice, WriteReceivedNotice(added.receipt, previous_));
  return Status::Ok();
}

// One call of Forget, and so one noise draw, serves all requests in `due`. Each request gets its
// own receipt. All receipts name the same model version, the first that is clean of all their
// events.
Status Shard::Serve(const Moment& moment, std::size_t count) {
  const std::int64_t ns = unlearner_->RewindNs();
  if (pacer_.is_active() && !is_preparing_ && ns > 0) pacer_.Begin(ns);
  std::vector<PendingRequest> due = pending_.TakeFirst(count);
  is_preparing_ = is_deferred_ = false;
  std::vector<Target> batch;
  for (const PendingRequest& request : due) {
    batch.insert(batch.end(), request.targets.begin(), request.targets.end());
  }
  const auto forgetting = unlearner_->Forget(batch);
  if (!forgetting.ok()) {
    return {forgetting.status().code(), "shard " + std::to_string(id_.value) + ", offset " +
                                            std::to_string(moment.offset.value) + ": " +
                                            forgetting.status().message()};
  }
  ports_.state.RetireModels();
  const double sigma = forgetting.value().sigma;
  counters_.forgotten_events += static_cast<std::int64_t>(batch.size());
  counters_.effective_deletions += static_cast<std::int64_t>(due.size());
  ++counters_.draws;
  last_sigma_ = sigma;
  counters_.noise_variance += sigma * sigma;
  clean_from_ = model_version();
  regret_bound_.Draw(sigma, static_cast<std::int64_t>(batch.size()), forgetting.value().shrink);
  ports_.probe.OnEffective(id_, batch, forgetting.value());
  for (PendingRequest& request : due) {
    SetEffective(moment, request.receipt);
    // The last request of a group may have come just when the pause was over.
    const bool has_waited = request.is_grouped || !pending_.at_once();
    if (moment.by == EffectiveBy::kGroup && !has_waited) request.receipt.by = EffectiveBy::kStream;
    request.receipt.forgetting = forgetting.value();
    request.receipt.why_not = why_not_;
    if (const char* reason = forgetting.value().why_not) {
      request.receipt.why_not.emplace_back(reason);
    }
    AppendReceipt(request.receipt);
    TellStage(ErasureStage::kEffective, request.receipt.received_time,
              moment.is_at_record ? std::min(moment.timestamp, now_) : moment.timestamp);
    // Erasure is scheduled in event time, so a stream without timestamps schedules none.
    if (now_ != kNoTime) {
      erasures_.Add({request.receipt.uuid, previous_, now_, request.receipt.received_time, {}});
    }
  }
  return Status::Ok();
}

Receipt Shard::NotForgotten(const Position& position, const Request& request,
                            const std::optional<Refusal>& refusal, const LookupResult* lookup) {
  const bool is_repeated =
      refusal && refusal->forgotten && (request.id.has_value() || !MayNameOld());
  // Once events have expired, the shard cannot tell whether it ever learned the name.
  const bool has_expired = anchor_.value > 0;
  if (has_expired) ports_.probe.OnExpired(id_);
  Receipt receipt = NewReceipt(position, is_repeated   ? Outcome::kAlreadyForgotten
                                         : has_expired ? Outcome::kNotRetained
                                                       : Outcome::kNothingLearned);
  receipt.request = request.reference;
  if (lookup != nullptr) {
    receipt.passed_on = lookup->passed_on;
    receipt.pending = lookup->pending;
  }
  if (is_repeated) {
    receipt.first_receipt = refusal->receipt;
    receipt.why_not = {"the first receipt states what is promised"};
    return receipt;
  }
  if (lookup != nullptr) receipt.searched = lookup->searched;
  if (receipt.searched.empty()) receipt.searched = {id_};
  receipt.why_not = {has_expired
                         ? "nothing under this name is retained, so there was nothing to forget"
                         : "nothing was learned under this name, so there was nothing to forget"};
  return receipt;
}

Receipt Shard::NewReceipt(const Position& position, Outcome outcome) {
  Receipt receipt;
  ports_.random.Fill({Stream::Purpose::kUuid, id_, receipts_++}, receipt.uuid);
  receipt.uuid[6] = static_cast<std::uint8_t>((receipt.uuid[6] & 0x0f) | 0x40);  // RFC 4122, v4
  receipt.uuid[8] = static_cast<std::uint8_t>((receipt.uuid[8] & 0x3f) | 0x80);
  receipt.state = identity_.state;
  receipt.shard = id_;
  receipt.outcome = outcome;
  receipt.received = position.offset;
  receipt.received_time = position.timestamp;
  SetPromise(1, receipt);
  SetEffective(At(position), receipt);
  return receipt;
}

void Shard::SetPromise(std::int64_t holders, Receipt& receipt) const {
  const bool joint = plan_.spec.forgetting.guarantee == Guarantee::kJoint;
  receipt.holders = holders;
  receipt.promise = joint ? plan_.served : plan_.ServedTo(holders);
  receipt.shard_mu = plan_.promise.mu;
}

void Shard::SetEffective(const Moment& moment, Receipt& receipt) const {
  receipt.effective = moment.offset;
  receipt.effective_time = moment.timestamp;
  receipt.by = moment.by;
  receipt.index = steps();
  receipt.expired_before = anchor_;
  receipt.expired_since = window_.since;
  receipt.expired_time = window_.expired_time;
  receipt.lacks_clock = LacksClock();
  receipt.model_version = model_version();
}

Refusal Shard::RefusalFor(const Receipt& receipt) const {
  Refusal refusal{.receipt = receipt.uuid,
                  .forgotten = receipt.outcome == Outcome::kForgotten,
                  .until = kNoTime};
  if (now_ != kNoTime) refusal.until = {now_.value + plan_.spec.refuse_late_for_ms};
  return refusal;
}

void Shard::Append(ChainKind kind, std::string bytes) {
  const Digest digest = ports_.hasher.Sha256(bytes);
  previous_ = ToHex(digest.data(), digest.size());
  ++chain_entries_;
  ports_.state.Append(kind, bytes);
  outbox_.emplace_back(kind, std::move(bytes));
}

void Shard::AppendReceipt(const Receipt& receipt) {
  ++counters_.outcomes[static_cast<std::size_t>(receipt.outcome)];
  const ReceiptContext context{.spec = plan_.spec,
                               .shards = plan_.shards,
                               .is_exact = plan_.mode->is_exact,
                               .keeps_secret = plan_.mode->keeps_secret,
                               .is_adaptive = plan_.AllowsAdaptiveRequests(),
                               .blank = unlearner_->blank(),
                               .covers_old = unlearner_->covers_old(),
                               .config_sha256 = config_sha256_,
                               .hasher = ports_.hasher};
  Append(ChainKind::kReceipt, WriteReceipt(receipt, context, previous_));
}

}  // namespace lethe
