#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/types.h"

namespace lethe {

// Where an event of an id, or the events of a subject, are to be looked up: an index in memory over
// hashes, 30 to 50 bytes per event. Half of a hash is kept here, so what it names is a candidate:
// the caller compares the whole. Not thread-safe.
class EventTable {
 public:
  static constexpr std::int64_t kMostEvents = 0xfffffffe;

  // Indices come in increasing order, but gaps are fine.
  void Add(EventIndex index, const KeyHash& id, const std::optional<KeyHash>& subject);
  void Remove(EventIndex index, const KeyHash& id);

  std::optional<EventIndex> OfId(const KeyHash& id) const;
  // Candidates that were not removed, newest first.
  std::vector<EventIndex> OfSubject(const KeyHash& subject) const;

  std::int64_t size() const { return static_cast<std::int64_t>(ids_.size()); }

 private:
  // Open addressing, hash to number.
  class Slots {
   public:
    static constexpr std::uint32_t kNone = 0xffffffff;

    std::uint32_t Find(std::uint64_t hash) const;
    // Sets the number of a hash and returns the one it had, or kNone.
    std::uint32_t Set(std::uint64_t hash, std::uint32_t number);
    void Erase(std::uint64_t hash);
    std::size_t size() const { return used_; }

   private:
    std::size_t Place(std::uint64_t hash) const;
    void Grow();

    std::vector<std::uint64_t> hashes_;
    std::vector<std::uint32_t> numbers_;  // kNone: empty
    std::size_t used_ = 0;
  };

  Slots ids_;
  Slots subjects_;                       // to the newest event
  std::vector<std::uint32_t> previous_;  // event to the one before of its subject
  std::vector<bool> removed_;
};

}  // namespace lethe
