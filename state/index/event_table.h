#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "engine/base/types.h"
#include "state/index/hash_index.h"

namespace lethe {

// The index in memory from ids and subjects to events. It takes 15 to 20 bytes per event, and at
// most 50 MB while it is small. It keeps five bytes of the hash of an id and four of a subject, so
// it returns candidates: the caller compares the full hashes. Not thread-safe; const methods may
// run at the same time. It owns its memory and reads no store. Only running out of memory can fail.
class EventTable {
 public:
  static constexpr std::int64_t kMostEvents = 0xfffffffe;

  // Grows the index of ids at once, so that it can hold `count` events in all without a rehash.
  void Reserve(std::int64_t count) { ids_.Reserve(static_cast<std::size_t>(count)); }

  // Indices must increase, and be below kMostEvents. Gaps count as removed events.
  void Add(EventIndex index, const KeyHash& id, const std::optional<KeyHash>& subject);
  // The event must have been added with this id and subject.
  void Remove(EventIndex index, const KeyHash& id, const std::optional<KeyHash>& subject);
  // Whether the event was added, and neither removed nor dropped.
  bool Has(EventIndex index) const {
    return index.value >= first_ && index.value < end() && !removed_[At(index.value)];
  }
  // Frees the memory of all events before `index`. They must have been removed before, and no event
  // before `index` may be added afterwards.
  void DropBefore(EventIndex index);
  // The first event that was not dropped.
  EventIndex first() const { return {first_}; }

  // Whether OfId would return anything, without an allocation. Nearly always false for a new id.
  bool MayHave(const KeyHash& id) const {
    bool found = false;
    ids_.ForEach(Tag(id), [&](std::uint32_t number) { found |= checks_[At(number)] == Check(id); });
    return found;
  }
  // The candidates for an id, without removed events, in no particular order.
  std::vector<EventIndex> OfId(const KeyHash& id) const;
  // The candidates for a subject, without removed events, newest first. Takes time for each event
  // the subject ever had, removed ones included.
  std::vector<EventIndex> OfSubject(const KeyHash& subject) const;

  // Fetches into the processor's cache what a look-up of the id, or the addition of an event with
  // this id and subject, will need.
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

  std::int64_t end() const { return first_ + static_cast<std::int64_t>(removed_.size()); }
  std::size_t At(std::int64_t index) const { return static_cast<std::size_t>(index - first_); }
  // The newest event that is not removed, of `number` and the events of its subject before it.
  std::uint32_t NewestFrom(std::uint32_t number) const;

  std::int64_t first_ = 0;  // the index of the first element of the deques
  HashIndex ids_;
  HashIndex subjects_;                  // to the newest event of the subject
  std::deque<std::uint32_t> previous_;  // by event: the event before it of its subject, or kNone
  std::deque<std::uint8_t> checks_;     // by event: one more byte of the hash of its id
  std::vector<bool> removed_;
};

}  // namespace lethe
