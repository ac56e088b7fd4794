#pragma once

#include <deque>
#include <memory>
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

// The preprocessor of learn events for one shard: it validates an event, maps and hashes its
// features, and replaces its id and subject by keyed hashes. The result depends on the one record
// alone, so records may be admitted ahead of their turn. Thread-safe. It owns copies of its
// settings and borrows the hasher inside `names`, which must outlive it.
class Admission {
 public:
  // An event without an id gets the id "topic/shard/offset".
  Admission(const ModelSpec& model, Pseudonymizer names, std::string topic, ShardId shard,
            std::shared_ptr<const FeatureMap> map = nullptr);

  // Fills `learn` from a decoded learn or update and returns nullopt. Otherwise returns the
  // rejection, and `learn` is unspecified.
  std::optional<Rejection> Admit(const Event& event, Offset offset, AdmittedLearn& learn) const;

  // Fast path of Admit for dense learns. Returns false if the event needs Admit (wrong dimension,
  // norm above the bound, bad label); `learn` is then unspecified.
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

// The items of one batch of records, and the storage that they point into. The storage is reused
// from batch to batch, so learns are admitted without allocation. Not thread-safe. A slot index out
// of range is a programming error and ends the process.
class ItemBatch {
 public:
  // Removes all items and makes `count` empty slots. Invalidates every item.
  void Clear(std::size_t count);

  // A buffer for the features of the next decoded record. All records share it, so that it stays in
  // the processor's cache.
  std::vector<double>& buffer() { return x_; }

  // Makes the item of slot i from a decoded record, by moving its features and texts out of it. An
  // event that is refused becomes an item with its rejection.
  void Admit(const Admission& admission, std::size_t i, Record& record);
  // Fast path for dense learns, from the record's own buffer, which is not needed afterwards.
  // Returns false, and leaves the slot empty, if the record must be decoded and passed to Admit.
  bool AdmitView(const Admission& admission, std::size_t i, const LearnView& view);

  bool has(std::size_t i) const { return items_[i].has_value(); }
  // The item of slot i, which must have one. Valid until Clear.
  const Item& item(std::size_t i) const { return *items_[i]; }

 private:
  Item Reject(Rejection rejection) { return &rejections_.emplace_back(std::move(rejection)); }

  std::vector<AdmittedLearn> learns_;  // learns_[i] is the storage of slot i
  std::vector<std::optional<Item>> items_;
  // Addresses in a deque stay valid while it grows.
  std::deque<AdmittedUpdate> updates_;
  std::deque<Request> requests_;
  std::deque<Rejection> rejections_;
  std::vector<double> x_;
};

}  // namespace lethe
