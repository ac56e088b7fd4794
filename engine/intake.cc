#include "engine/intake.h"

#include <algorithm>
#include <utility>

#include "engine/check.h"

namespace lethe {

Intake::Intake(const ModelSpec& model, Names names, std::string topic, ShardId shard)
    : door_(model), names_(std::move(names)), topic_(std::move(topic)), shard_(shard) {}

const Admitted& Intake::Expect(const Record& record) {
  if (count_ > kAhead) count_ = 0;  // these never came; Take would prepare them anew
  Prepared& prepared = ring_[(first_ + count_++) % ring_.size()];
  Prepare(record, prepared);
  return prepared.admitted;
}

const Admitted& Intake::Take(const Record& record) {
  const auto is_over = [&](const Prepared& first) {
    return first.offset < record.offset ||
           (first.offset == record.offset && first.record != &record);
  };
  while (count_ > 0 && is_over(ring_[first_])) Drop();
  Prepared* prepared = &ring_[first_];
  if (count_ > 0 && prepared->record == &record) {
    Drop();
  } else {
    prepared = &unexpected_;
    Prepare(record, *prepared);
  }
  return prepared->admitted;
}

void Intake::Drop() {
  first_ = (first_ + 1) % ring_.size();
  --count_;
}

void Intake::Prepare(const Record& record, Prepared& prepared) const {
  prepared.record = &record;
  prepared.offset = record.offset;
  Admit(record, prepared.admitted);
}

template <typename Text>
void Intake::PutSubject(const std::optional<Text>& subject, Admitted& admitted) const {
  if (!subject) return admitted.subject.reset();
  admitted.subject = names_.Subject(*subject);
}

std::string Intake::PlaceOf(const Record& record) const {
  return topic_ + "/" + std::to_string(shard_.value) + "/" + std::to_string(record.offset.value);
}

void Intake::Admit(const Record& record, Admitted& admitted) const {
  const Event& event = record.event;
  admitted.rejection = door_.Admit(event, admitted.example);
  if (admitted.rejection) return;
  admitted.id = event.id ? names_.Id(*event.id) : names_.Id(PlaceOf(record));
  PutSubject(event.subject, admitted);
}

bool Intake::Admit(const PlainLearn& learn, Admitted& admitted) const {
  if (!door_.AdmitPlain(learn, admitted.example)) return false;
  admitted.rejection.reset();
  admitted.id = names_.Id(learn.id);
  PutSubject(learn.subject, admitted);
  return true;
}

void AdmittedBatch::Clear(std::size_t count) {
  admitted_.resize(std::max(admitted_.size(), count));
  is_admitted_.assign(count, false);
}

bool AdmittedBatch::Admit(const Intake& intake, std::size_t i, const PlainLearn& learn) {
  LETHE_CHECK(i < is_admitted_.size());
  is_admitted_[i] = intake.Admit(learn, admitted_[i]);
  return is_admitted_[i];
}

void AdmittedBatch::Admit(const Intake& intake, std::size_t i, Record& record) {
  intake.Admit(record, admitted_[i]);
  is_admitted_[i] = true;
  x_.swap(record.event.x);
}

}  // namespace lethe
