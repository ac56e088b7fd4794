#include "engine/shard.h"

#include <algorithm>
#include <utility>

#include "engine/check.h"
#include "engine/json.h"

namespace lethe {

void Counters::Add(const Counters& other) {
  records += other.records;
  learned += other.learned;
  updates += other.updates;
  requests += other.requests;
  duplicates += other.duplicates;
  refused_late += other.refused_late;
  for (std::size_t i = 0; i < rejected.size(); ++i) rejected[i] += other.rejected[i];
  forgotten_events += other.forgotten_events;
  effective_deletions += other.effective_deletions;
  noise_variance += other.noise_variance;
}

Shard::Shard(const Plan& plan, ShardId id, const ShardPorts& ports)
    : plan_(plan),
      id_(id),
      ports_(ports),
      door_(plan.spec.model),
      names_(ports.hasher, ports.random, id),
      why_not_(plan.WhyNotCertified()) {
  const Digest digest = ports.hasher.Sha256(CertificatePart(plan.spec));
  config_sha256_ = ToHex(digest.data(), digest.size());
  ports.random.Fill({Stream::Purpose::kStateId, id, 0}, state_id_);
  unlearner_ = plan_.mode->make({.spec = plan_.spec,
                                 .constants = plan_.constants,
                                 .schedule = plan_.schedule,
                                 .promise = plan_.promise,
                                 .shard = id,
                                 .random = ports.random});
}

ModelVersion Shard::model_version() const {
  return {counters_.learned + counters_.updates + counters_.effective_deletions};
}

Status Shard::Commit() { return ports_.state.Commit(next_); }

Status Shard::Process(const Record& record) {
  ++counters_.records;
  next_ = {record.offset.value + 1};
  if (record.timestamp > now_) {
    now_ = record.timestamp;
    ports_.state.ExpireRefusals(now_);
  }
  if (record.rejection) return Reject(record, *record.rejection);
  switch (record.event.kind) {
    case EventKind::kLearn: return Learn(record);
    case EventKind::kDelete: return Delete(record);
    case EventKind::kUpdate: return Update(record);
  }
  LETHE_CHECK(false);
}

Status Shard::Reject(const Record& record, const Rejection& rejection) {
  ++counters_.rejected[static_cast<std::size_t>(rejection.reason)];
  ports_.probe.OnRejected(id_, record.offset, rejection);
  if (!rejection.is_request) return Status::Ok();
  Receipt receipt = NewReceipt(record, Outcome::kRejected);
  receipt.reason = rejection.reason;
  receipt.request.reset();
  receipt.why_not = {"the request could not be read"};
  return Publish(std::move(receipt));
}

void Shard::LearnAs(const Record& record, const KeyHash& id) {
  LearnedEvent learned{.index = {counters_.learned + counters_.updates},
                       .offset = record.offset,
                       .id = id,
                       .subject = {}};
  if (record.event.subject) learned.subject = names_.Subject(*record.event.subject);
  const double prediction = unlearner_->Learn(example_);
  ports_.state.AddEvent(learned);
  ++(record.event.kind == EventKind::kUpdate ? counters_.updates : counters_.learned);
  ports_.probe.OnLearn(id_, prediction, example_.y);
}

Status Shard::Learn(const Record& record) {
  if (const auto rejection = door_.Admit(record.event, example_)) {
    return Reject(record, *rejection);
  }
  const KeyHash id = names_.Id(record.event.id ? *record.event.id
                                               : plan_.spec.topic + "/" +
                                                     std::to_string(id_.value) + "/" +
                                                     std::to_string(record.offset.value));
  if (ports_.state.FindRefusal(names_.Lasting(id))) {
    ++counters_.refused_late;
  } else if (ports_.state.FindId(id)) {
    ++counters_.duplicates;
  } else {
    LearnAs(record, id);
  }
  return Status::Ok();
}

Status Shard::Update(const Record& record) {
  LETHE_CHECK(record.event.id.has_value());
  if (const auto rejection = door_.Admit(record.event, example_)) {
    return Reject(record, *rejection);
  }
  const KeyHash id = names_.Id(*record.event.id);
  if (ports_.state.FindRefusal(names_.Lasting(id))) {
    ++counters_.refused_late;
    return Status::Ok();
  }
  const auto old = ports_.state.FindId(id);
  if (!old) {
    LearnAs(record, id);
    return Status::Ok();
  }
  auto receipt = Forget(record, {*old});
  if (!receipt.ok()) return receipt.status();
  LearnAs(record, id);
  receipt.value().is_update = true;
  return Publish(std::move(receipt).value());
}

Status Shard::Delete(const Record& record) {
  ++counters_.requests;
  LETHE_CHECK(record.event.id || record.event.subject);
  return record.event.id ? DeleteById(record) : DeleteBySubject(record);
}

Status Shard::DeleteById(const Record& record) {
  const KeyHash id = names_.Id(*record.event.id);
  const KeyHash lasting = names_.Lasting(id);
  const auto event = ports_.state.FindId(id);
  if (event) {
    auto receipt = Forget(record, {*event});
    if (!receipt.ok()) return receipt.status();
    ports_.state.Refuse(lasting, RefusalFor(receipt.value()));
    return Publish(std::move(receipt).value());
  }
  const auto refusal = ports_.state.FindRefusal(lasting);
  Receipt receipt = NotForgotten(record, refusal);
  // Remembered, so that a learn that comes late is refused.
  if (receipt.outcome == Outcome::kNothingLearned) {
    ports_.state.Refuse(lasting, RefusalFor(receipt));
  }
  return Publish(std::move(receipt));
}

Status Shard::DeleteBySubject(const Record& record) {
  const KeyHash subject = names_.Subject(*record.event.subject);
  const KeyHash lasting = names_.Lasting(subject);
  std::vector<LearnedEvent> events = ports_.state.FindSubject(subject);
  if (events.empty()) {
    Receipt receipt = NotForgotten(record, ports_.state.FindRefusal(lasting));
    receipt.subject = names_.InReceipt(subject);
    return Publish(std::move(receipt));
  }
  auto receipt = Forget(record, std::move(events));
  if (!receipt.ok()) return receipt.status();
  const Refusal refusal = RefusalFor(receipt.value());
  for (const LearnedEvent& event : receipt.value().events) {
    ports_.state.Refuse(names_.Lasting(event.id), refusal);
  }
  ports_.state.Refuse(lasting, refusal);
  receipt.value().subject = names_.InReceipt(subject);
  return Publish(std::move(receipt).value());
}

Result<Receipt> Shard::Forget(const Record& record, std::vector<LearnedEvent> events) {
  std::vector<Target> batch;
  for (const LearnedEvent& event : events) {
    batch.push_back({event.index, {}});
    if (event.subject) batch.back().subject = names_.Lasting(*event.subject);
  }
  const auto forgetting = unlearner_->Forget(batch);
  if (!forgetting.ok()) {
    return Status(forgetting.status().code(), "shard " + std::to_string(id_.value) + ", offset " +
                                                  std::to_string(record.offset.value) + ": " +
                                                  forgetting.status().message());
  }
  const double sigma = forgetting.value().sigma;
  for (const LearnedEvent& event : events) ports_.state.RemoveEvent(event);
  counters_.forgotten_events += static_cast<std::int64_t>(events.size());
  ++counters_.effective_deletions;
  counters_.noise_variance += sigma * sigma;
  clean_from_ = model_version();
  ports_.probe.OnEffective(id_, forgetting.value().shift, sigma);

  Receipt receipt = NewReceipt(record, Outcome::kForgotten);
  receipt.events = std::move(events);
  receipt.forgetting = forgetting.value();
  receipt.why_not = why_not_;
  return receipt;
}

Receipt Shard::NotForgotten(const Record& record, const std::optional<Refusal>& refusal) {
  if (refusal && refusal->forgotten) {
    Receipt receipt = NewReceipt(record, Outcome::kAlreadyForgotten);
    receipt.first_receipt = refusal->receipt;
    receipt.why_not = {"the first receipt states what is promised"};
    return receipt;
  }
  Receipt receipt = NewReceipt(record, Outcome::kNothingLearned);
  receipt.why_not = {"nothing was learned under this name, so there was nothing to forget"};
  return receipt;
}

Receipt Shard::NewReceipt(const Record& record, Outcome outcome) {
  Receipt receipt;
  ports_.random.Fill({Stream::Purpose::kUuid, id_, receipts_++}, receipt.uuid);
  receipt.uuid[6] = static_cast<std::uint8_t>((receipt.uuid[6] & 0x0f) | 0x40);  // RFC 4122, v4
  receipt.uuid[8] = static_cast<std::uint8_t>((receipt.uuid[8] & 0x3f) | 0x80);
  receipt.state = state_id_;
  receipt.shard = id_;
  receipt.outcome = outcome;
  receipt.request = record.event.request;
  receipt.received = receipt.effective = record.offset;
  receipt.received_time = receipt.effective_time = record.timestamp;
  receipt.index = counters_.learned + counters_.updates;
  receipt.model_version = model_version();
  receipt.promise = plan_.promise;
  return receipt;
}

Refusal Shard::RefusalFor(const Receipt& receipt) const {
  Refusal refusal{.receipt = receipt.uuid,
                  .forgotten = receipt.outcome == Outcome::kForgotten,
                  .until = kNoTime};
  if (now_ != kNoTime) refusal.until = {now_.value + plan_.spec.refuse_late_for_ms};
  return refusal;
}

Status Shard::Publish(Receipt receipt) {
  const ReceiptContext context{plan_.spec, config_sha256_, ports_.hasher};
  const std::string bytes = WriteReceipt(receipt, context, previous_);
  const Digest digest = ports_.hasher.Sha256(bytes);
  previous_ = ToHex(digest.data(), digest.size());
  ports_.state.Append(ChainKind::kReceipt, bytes);
  LETHE_RETURN_IF_ERROR(Commit());
  return ports_.sink.Publish(id_, ChainKind::kReceipt, bytes);
}

}  // namespace lethe
