#include "engine/admission/admission.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"

namespace lethe {
Admission::Admission(const ModelSpec& model, Pseudonymizer names, std::string topic, ShardId shard,
                     std::shared_ptr<const FeatureMap> map)
    : validator_(model, std::move(map)),
      pseudonymizer_(std::move(names)),
      topic_(std::move(topic)),
      shard_(shard) {}

template <typename Text>
void Admission::PutSubject(const std::optional<Text>& subject, AdmittedLearn& learn) const {
  if (!subject) return learn.subject.reset();
  learn.subject = pseudonymizer_.Subject(*subject);
}

std::optional<Rejection> Admission::Admit(const Event& event, Offset offset,
                                          AdmittedLearn& learn) const {
  if (auto rejection = validator_.Admit(event, learn.example)) return rejection;
  learn.id = event.id ? pseudonymizer_.Id(*event.id)
                      : pseudonymizer_.Id(topic_ + "/" + std::to_string(shard_.value) + "/" +
                                          std::to_string(offset.value));
  PutSubject(event.subject, learn);
  learn.unknown_members = event.unknown_members;
  return std::nullopt;
}

bool Admission::AdmitView(const LearnView& view, AdmittedLearn& learn) const {
  if (!validator_.AdmitView(view, learn.example)) return false;
  learn.id = pseudonymizer_.Id(view.id);
  PutSubject(view.subject, learn);
  learn.unknown_members = 0;
  return true;
}

void ItemBatch::Clear(std::size_t count) {
  learns_.resize(std::max(learns_.size(), count));
  items_.assign(count, std::nullopt);
  updates_.clear();
  requests_.clear();
  rejections_.clear();
}

bool ItemBatch::AdmitView(const Admission& admission, std::size_t i, const LearnView& view) {
  LETHE_CHECK(i < items_.size());
  if (!admission.AdmitView(view, learns_[i])) return false;
  items_[i] = &learns_[i];
  return true;
}

void ItemBatch::Admit(const Admission& admission, std::size_t i, Record& record) {
  LETHE_CHECK(i < items_.size());
  Event& event = record.event;
  if (record.rejection) {
    items_[i] = Reject(*std::exchange(record.rejection, std::nullopt));
  } else if (event.kind == EventKind::kDelete) {
    items_[i] = &requests_.emplace_back(Request{.id = std::move(event.id),
                                                .subject = std::move(event.subject),
                                                .reference = std::move(event.request),
                                                .is_replacement = event.is_replaced,
                                                .is_rerouted = record.is_rerouted});
  } else if (auto rejection = admission.Admit(event, record.offset, learns_[i])) {
    items_[i] = Reject(std::move(*rejection));
  } else if (event.kind == EventKind::kUpdate) {
    items_[i] =
        &updates_.emplace_back(AdmittedUpdate{.learn = learns_[i],
                                              .replaced = {.id = std::move(event.id),
                                                           .subject = std::move(event.subject),
                                                           .reference = std::move(event.request),
                                                           .is_replacement = true}});
  } else {
    items_[i] = &learns_[i];
  }
  x_.swap(event.x);
}

}  // namespace lethe
