#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/admission/event_validator.h"
#include "engine/admission/item.h"
#include "engine/admission/pseudonymizer.h"
#include "engine/base/types.h"
#include "engine/ports/event.h"
#include "engine/ports/learn_view.h"

namespace lethe {

// From a decoded event to what the learner and the ledger take: bounds are enforced, features are
// hashed, names become keyed hashes. The result depends on the one record alone, so records may be
// admitted ahead of their turn and in another thread. Thread-safe.
class Admission {
 public:
  // An event without an id is called by its position in `topic`.
  Admission(const ModelSpec& model, Pseudonymizer names, std::string topic, ShardId shard);

  // Fills `learn` from a learn or update that could be decoded, or says why it is refused; then
  // `learn` is unspecified.
  std::optional<Rejection> Admit(const Event& event, Offset offset, AdmittedLearn& learn) const;

  // Fast path of Admit for dense learns. Returns false if the event needs Admit (wrong dimension,
  // norm near the bound, bad label); `learn` is then unspecified.
  bool AdmitView(const LearnView& view, AdmittedLearn& learn) const;

  const EventValidator& validator() const { return validator_; }

 private:
  template <typename Text>
  void PutSubject(const std::optional<Text>& subject, AdmittedLearn& learn) const;

  EventValidator validator_;
  Pseudonymizer pseudonymizer_;
  std::string topic_;
  ShardId shard_;
};

// The items of a batch, and the storage that they point into. The storage is reused from batch to
// batch, so learns are admitted without allocation. Not thread-safe.
class ItemBatch {
 public:
  // Forgets all items; from now on there are `count` slots without an item.
  void Clear(std::size_t count);

  // For the features of the record that is decoded next. All records share the buffer, so that it
  // stays in the processor's cache.
  std::vector<double>& buffer() { return x_; }

  // Makes the item of slot i from a decoded record. Takes the record's features and texts.
  void Admit(const Admission& admission, std::size_t i, Record& record);
  // The fast path, for dense learns. Returns false if the record must be decoded and admitted.
  bool AdmitView(const Admission& admission, std::size_t i, const LearnView& view);

  bool has(std::size_t i) const { return items_[i].has_value(); }
  // The item of slot i, which must have one. Valid until Clear.
  const Item& item(std::size_t i) const { return *items_[i]; }

 private:
  Item Reject(Rejection rejection) { return &rejections_.emplace_back(std::move(rejection)); }

  std::vector<AdmittedLearn> learns_;  // that of slot i is at i
  std::vector<std::optional<Item>> items_;
  // Addresses in a deque stay valid while it grows.
  std::deque<AdmittedUpdate> updates_;
  std::deque<Request> requests_;
  std::deque<Rejection> rejections_;
  std::vector<double> x_;
};

}  // namespace lethe
