#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "engine/types.h"

namespace lethe {

// Where an event of an id, or the events of a subject, are to be looked up: an index in memory, 15
// to 20 bytes per event, and 50 MB at most while it is small. Five bytes of a hash are kept here,
// so what it names are candidates: the caller compares the whole. Not thread-safe.
class EventTable {
 public:
  static constexpr std::int64_t kMostEvents = 0xfffffffe;

  // A hint that there will be so many events soon.
  void Expect(std::int64_t count);

  // Indices come in increasing order, but gaps are fine.
  void Add(EventIndex index, const KeyHash& id, const std::optional<KeyHash>& subject);
  void Remove(EventIndex index, const KeyHash& id);

  // Candidates that were not removed, in no order.
  std::vector<EventIndex> OfId(const KeyHash& id) const;
  // Candidates that were not removed, newest first.
  std::vector<EventIndex> OfSubject(const KeyHash& subject) const;

  // A hint that the id will be looked up soon, or an event with these names added.
  void Prefetch(const KeyHash& id, const std::optional<KeyHash>& subject) const {
    ids_.Of(Tag(id)).Prefetch(Tag(id));
    if (subject) subjects_.Of(Tag(*subject)).Prefetch(Tag(*subject));
  }

  std::int64_t size() const { return static_cast<std::int64_t>(ids_.size()); }
  std::size_t bytes() const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t number = kNone;  // kNone: empty
  };

  // Open addressing, tag to numbers. A slot's home follows from its tag, so that a table can grow
  // without the hashes, and in one sweep.
  class Slots {
   public:
    // The first slot with this tag from `at` on, or the empty one where the search ends.
    std::size_t Search(std::uint32_t tag, std::size_t at) const;
    std::size_t Home(std::uint32_t tag) const {
      return (std::uint64_t{tag << kPartBits} * slots_.size()) >> 32;
    }
    std::size_t Next(std::size_t at) const { return at + 1 == slots_.size() ? 0 : at + 1; }
    const Slot& operator[](std::size_t at) const { return slots_[at]; }

    void Expect(std::size_t count);
    void Add(std::uint32_t tag, std::uint32_t number);
    // Sets the number of a tag that has one at most, and returns the one it had, or kNone.
    std::uint32_t Replace(std::uint32_t tag, std::uint32_t number);
    void Erase(std::uint32_t tag, std::uint32_t number);
    void Prefetch(std::uint32_t tag) const;

    std::size_t size() const { return used_; }
    std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

   private:
    void MakeRoom() {
      if (used_ >= limit_) GrowFrom(slots_.size());
    }
    // To the size that comes after this one.
    void GrowFrom(std::size_t size);
    std::size_t Distance(std::size_t from, std::size_t to) const {
      return to >= from ? to - from : to + slots_.size() - from;
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
    std::size_t limit_ = 0;  // where it has to grow
  };

  // Parts grow one at a time: none waits long, and only one is there twice meanwhile.
  static constexpr int kPartBits = 6;
  class Parts {
   public:
    Slots& Of(std::uint32_t tag) { return parts_[tag >> (32 - kPartBits)]; }
    const Slots& Of(std::uint32_t tag) const { return parts_[tag >> (32 - kPartBits)]; }
    std::size_t size() const;
    std::size_t bytes() const;
    void Expect(std::size_t count) {
      for (Slots& part : parts_) part.Expect(count);
    }

   private:
    std::array<Slots, std::size_t{1} << kPartBits> parts_;
  };

  static std::uint32_t Tag(const KeyHash& hash) { return static_cast<std::uint32_t>(hash.low); }
  static std::uint8_t Check(const KeyHash& hash) {
    return static_cast<std::uint8_t>(hash.low >> 32);
  }

  Parts ids_;
  Parts subjects_;                      // to the newest event
  std::deque<std::uint32_t> previous_;  // event to the one before of its subject
  std::deque<std::uint8_t> checks_;     // event to one more byte of its id
  std::vector<bool> removed_;
};

}  // namespace lethe
