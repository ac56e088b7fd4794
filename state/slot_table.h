#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lethe {

// From tags of 32 evenly spread bits to numbers, one or several of a tag: open addressing, eight
// bytes a slot. In parts, by the first bits of the tag, that grow one at a time, in order and with
// some additions in between: none waits long, and only one is there twice meanwhile. Parts of a
// size lie side by side in memory of large pages, because a look-up hits any place, and to find its
// page would take as long as to read it. Not thread-safe.
class SlotTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  SlotTable() = default;
  ~SlotTable();
  SlotTable(SlotTable&& other) noexcept { *this = std::move(other); }
  SlotTable& operator=(SlotTable&& other) noexcept {
    parts_.swap(other.parts_);
    rooms_.swap(other.rooms_);
    std::swap(round_, other.round_);
    std::swap(used_, other.used_);
    return *this;
  }

  // A hint that there will be so many numbers soon.
  void Expect(std::size_t count);

  void Add(std::uint32_t tag, std::uint32_t number);
  // Sets the number of a tag that has one at most, and returns the one it had, or kNone.
  std::uint32_t Replace(std::uint32_t tag, std::uint32_t number);
  void Erase(std::uint32_t tag, std::uint32_t number);

  // Any number of the tag, or kNone.
  std::uint32_t Find(std::uint32_t tag) const {
    const Part& part = Of(tag);
    return part.size == 0 ? kNone : part.slots[part.Search(tag, part.Home(tag))].number();
  }
  // All numbers of the tag, in no order.
  template <typename Visit>
  void ForEach(std::uint32_t tag, const Visit& visit) const {
    const Part& part = Of(tag);
    if (part.size == 0) return;
    for (std::size_t at = part.Search(tag, part.Home(tag)); !part.slots[at].is_empty();
         at = part.Search(tag, part.Next(at))) {
      visit(part.slots[at].number());
    }
  }
  // A hint that the tag will be looked up soon. (Inline, GCC 12 would take it for a function
  // without effect, and leave it out.)
  void Prefetch(std::uint32_t tag) const;

  std::size_t size() const { return used_; }  // numbers
  std::size_t bytes() const;                  // of the slots

 private:
  static constexpr int kPartBits = 8;
  static constexpr std::size_t kParts = std::size_t{1} << kPartBits;

  // All zeros is an empty one, as fresh memory is.
  struct Slot {
    std::uint32_t tag;
    std::uint32_t number_and_one;

    bool is_empty() const { return number_and_one == 0; }
    std::uint32_t number() const { return number_and_one - 1; }
  };

  // A slot's home follows from its tag, so that a part can grow without the hashes, and in one
  // sweep.
  struct Part {
    Slot* slots = nullptr;
    std::size_t size = 0;
    std::size_t used = 0;
    std::size_t limit = 0;  // where it has to grow

    std::size_t Home(std::uint32_t tag) const {
      return (std::uint64_t{tag << kPartBits} * size) >> 32;
    }
    std::size_t Next(std::size_t at) const { return at + 1 == size ? 0 : at + 1; }
    std::size_t Distance(std::size_t from, std::size_t to) const {
      return to >= from ? to - from : to + size - from;
    }
    // The first slot with this tag from `at` on, or the empty one where the search ends.
    std::size_t Search(std::uint32_t tag, std::size_t at) const {
      while (!slots[at].is_empty() && slots[at].tag != tag) at = Next(at);
      return at;
    }
    void Insert(const Slot& slot);
  };

  // Room for all parts of a size.
  struct Room {
    Slot* slots;
    std::size_t size;  // of a part
    int parts;         // that are in it
  };

  // All parts grow to the next size, one after the other.
  struct Round {
    std::size_t size = 0;   // that all parts have, or more
    std::size_t parts = 0;  // that have grown; none: it has not begun
    std::size_t rest = 1;   // additions until the next one does
  };

  static std::size_t PartOf(std::uint32_t tag) { return tag >> (32 - kPartBits); }
  const Part& Of(std::uint32_t tag) const { return parts_[PartOf(tag)]; }
  // With room for one more.
  Part& RoomyPartOf(std::uint32_t tag);
  void CountAdded(Part& part);
  void ContinueRound();
  void Grow(std::size_t part, std::size_t size);
  Slot* EnterRoom(std::size_t part, std::size_t size);
  void LeaveRoom(std::size_t part, std::size_t size);

  std::array<Part, kParts> parts_;
  std::vector<Room> rooms_;  // one, or while parts move two
  Round round_;
  std::size_t used_ = 0;
};

}  // namespace lethe
