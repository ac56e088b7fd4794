#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "engine/base/types.h"
#include "state/index/hash_index.h"

namespace lethe {

// Where an event of an id, or the events of a subject, are to be looked up: an index in memory, 15
// to 20 bytes per event, and 50 MB at most while it is small. Five bytes of a hash are kept here,
// so what it names are candidates: the caller compares the whole. Not thread-safe.
class EventTable {
 public:
  static constexpr std::int64_t kMostEvents = 0xfffffffe;

  // A hint that there will be so many events soon.
  void Reserve(std::int64_t count) { ids_.Reserve(static_cast<std::size_t>(count)); }

  // Indices come in increasing order, but gaps are fine.
  void Add(EventIndex index, const KeyHash& id, const std::optional<KeyHash>& subject);
  void Remove(EventIndex index, const KeyHash& id);

  // False: there is no candidate. Nearly always so for an event that is new.
  bool MayHave(const KeyHash& id) const {
    bool found = false;
    ids_.ForEach(Tag(id), [&](std::uint32_t number) { found |= checks_[number] == Check(id); });
    return found;
  }
  // Candidates that were not removed, in no order.
  std::vector<EventIndex> OfId(const KeyHash& id) const;
  // Candidates that were not removed, newest first.
  std::vector<EventIndex> OfSubject(const KeyHash& subject) const;

  // A hint that the id will be looked up soon, or an event with these names added.
  void Prefetch(const KeyHash& id, const std::optional<KeyHash>& subject) const {
    ids_.Prefetch(Tag(id));
    if (subject) subjects_.Prefetch(Tag(*subject));
  }

  std::int64_t size() const { return static_cast<std::int64_t>(ids_.size()); }
  std::size_t bytes() const;

 private:
  static constexpr std::uint32_t kNone = HashIndex::kNone;

  static std::uint32_t Tag(const KeyHash& hash) { return static_cast<std::uint32_t>(hash.low); }
  static std::uint8_t Check(const KeyHash& hash) {
    return static_cast<std::uint8_t>(hash.low >> 32);
  }

  HashIndex ids_;
  HashIndex subjects_;                  // to the newest event
  std::deque<std::uint32_t> previous_;  // event to the one before of its subject
  std::deque<std::uint8_t> checks_;     // event to one more byte of its id
  std::vector<bool> removed_;
};

}  // namespace lethe
