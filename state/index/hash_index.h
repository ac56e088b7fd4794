#pragma once

#if defined(__SSE2__) && !defined(LETHE_PORTABLE)
#include <emmintrin.h>
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lethe {

// A hash multimap from 32-bit tags to 32-bit numbers, with open addressing. A bucket is one cache
// line with 8 slots: a look-up compares the 8 tags at once, and goes on to the next bucket only if
// the bucket is full. The table has 256 segments, chosen by the first bits of the tag. They are
// rehashed one at a time, with some additions in between, so no addition waits for the whole table,
// and only one segment exists twice. Segments of one size lie side by side in an arena of huge
// pages, because look-ups are random and would otherwise miss the TLB each time.
//
// The tags must be evenly spread: they are taken as hashes, and are not hashed again. Not
// thread-safe; const methods may run at the same time. It owns its memory. Only running out of
// memory can fail, with std::bad_alloc.
class HashIndex {
 public:
  // No number: the one value that cannot be stored.
  static constexpr std::uint32_t kNone = 0xffffffff;

  HashIndex() = default;
  ~HashIndex();
  HashIndex(HashIndex&& other) noexcept { *this = std::move(other); }
  HashIndex& operator=(HashIndex&& other) noexcept {
    segments_.swap(other.segments_);
    arenas_.swap(other.arenas_);
    std::swap(rehash_, other.rehash_);
    std::swap(used_, other.used_);
    return *this;
  }

  // Grows the table at once, so that it can hold `count` numbers in all without a rehash.
  void Reserve(std::size_t count);

  // The tag may have other numbers, even the same one. Amortised constant time.
  void Add(std::uint32_t tag, std::uint32_t number);
  // Sets the number of a tag that has at most one, and returns the old number, or kNone.
  std::uint32_t Replace(std::uint32_t tag, std::uint32_t number);
  // Removes one pair of this tag and number. Does nothing if there is none.
  void Erase(std::uint32_t tag, std::uint32_t number);

  // One of the numbers of the tag, or kNone.
  std::uint32_t Find(std::uint32_t tag) const {
    std::uint32_t found = kNone;
    ForEach(tag, [&](std::uint32_t number) { found = number; });
    return found;
  }
  // Visits all numbers of the tag, in no particular order. `visit` must not change the table.
  template <typename Visit>
  void ForEach(std::uint32_t tag, const Visit& visit) const {
    const Segment& segment = Of(tag);
    if (segment.size == 0) return;
    for (std::size_t at = segment.Home(tag);; at = segment.Next(at)) {
      const Bucket& bucket = segment.buckets[at];
      for (unsigned slots = bucket.Match(tag); slots != 0; slots &= slots - 1) {
        visit(bucket.number(std::countr_zero(slots)));
      }
      if (!bucket.is_full()) return;
    }
  }
  // Fetches the tag's bucket into the processor's cache. Not inline: GCC 12 would take the inline
  // function for one without effect, and drop the call.
  void Prefetch(std::uint32_t tag) const;

  std::size_t size() const { return used_; }  // numbers stored
  std::size_t bytes() const;                  // memory of the buckets

 private:
  static constexpr int kSegmentBits = 8;
  static constexpr std::size_t kSegments = std::size_t{1} << kSegmentBits;

  // The used slots come first; the others are zero, like memory that was just mapped. Numbers are
  // stored plus one, so that zero is an empty slot.
  struct alignas(64) Bucket {
    static constexpr unsigned kSlots = 8;

    std::array<std::uint32_t, kSlots> tags;
    std::array<std::uint32_t, kSlots> numbers_and_one;

    std::uint32_t number(int slot) const {
      return numbers_and_one[static_cast<std::size_t>(slot)] - 1;
    }
    bool is_full() const { return numbers_and_one.back() != 0; }
    unsigned used() const {
      return static_cast<unsigned>(std::countr_zero(SlotsEqual(numbers_and_one, 0) | 1u << kSlots));
    }
    // The used slots with this tag, as a bit mask.
    unsigned Match(std::uint32_t tag) const {
      const unsigned slots = SlotsEqual(tags, tag);
      return slots == 0 ? 0 : slots & ~SlotsEqual(numbers_and_one, 0);
    }
    void Put(unsigned slot, std::uint32_t tag, std::uint32_t number_and_one) {
      tags[slot] = tag;
      numbers_and_one[slot] = number_and_one;
    }
    // Empties a slot, and moves the last used slot into it.
    void Remove(unsigned slot) {
      const unsigned last = used() - 1;
      Put(slot, tags[last], numbers_and_one[last]);
      Put(last, 0, 0);
    }

   private:
    // The slots whose value is `wanted`, as a bit mask.
    static unsigned SlotsEqual(const std::array<std::uint32_t, kSlots>& values,
                               std::uint32_t wanted) {
#if defined(__SSE2__) && !defined(LETHE_PORTABLE)
      const auto* const halves = reinterpret_cast<const __m128i*>(values.data());
      const __m128i all = _mm_set1_epi32(static_cast<int>(wanted));
      const auto equal = [&](int half) {
        return static_cast<unsigned>(
            _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(_mm_load_si128(halves + half), all))));
      };
      return equal(0) | equal(1) << 4;
#else
      unsigned slots = 0;
      for (unsigned i = 0; i < kSlots; ++i) slots |= unsigned{values[i] == wanted} << i;
      return slots;
#endif
    }
  };

  // A part of the table, with linear probing over its buckets. The home bucket is the tag, scaled
  // to the number of buckets. So a segment of any size can be rehashed from the tags alone, and in
  // order of memory, since home buckets keep their order.
  struct Segment {
    Bucket* buckets = nullptr;
    std::size_t size = 0;   // in buckets
    std::size_t used = 0;   // numbers stored
    std::size_t limit = 0;  // numbers at which it must grow

    std::size_t Home(std::uint32_t tag) const {
      return (std::uint64_t{tag << kSegmentBits} * size) >> 32;
    }
    std::size_t Next(std::size_t at) const { return at + 1 == size ? 0 : at + 1; }
    std::size_t Distance(std::size_t from, std::size_t to) const {
      return to >= from ? to - from : to + size - from;
    }
    // Does not count it, and does not check for space.
    void Insert(std::uint32_t tag, std::uint32_t number_and_one);
    // Empties a slot, and closes the gap in the probe sequences that pass through the bucket.
    void Remove(std::size_t at, unsigned slot);
  };

  // Mapped memory for the buckets of all segments of one size.
  struct Arena {
    Bucket* buckets;
    std::size_t size;  // of a segment, in buckets
    int segments;      // segments that use it; it is unmapped at 0
  };

  // The progress of a rehash: all segments grow to the next size, one after the other.
  struct Rehash {
    std::size_t size = 0;      // every segment has at least so many buckets
    std::size_t segments = 0;  // segments that have grown; 0: no rehash is under way
    std::size_t rest = 1;      // additions until the next step
  };

  static std::size_t SegmentOf(std::uint32_t tag) { return tag >> (32 - kSegmentBits); }
  const Segment& Of(std::uint32_t tag) const { return segments_[SegmentOf(tag)]; }
  // The segment of a tag, grown if it is full.
  Segment& SegmentWithSpace(std::uint32_t tag);
  void CountAdded(Segment& segment);
  void ContinueRehash();
  void Grow(std::size_t segment, std::size_t size);
  Bucket* TakeFromArena(std::size_t segment, std::size_t size);
  void ReturnToArena(std::size_t segment, std::size_t size);

  std::array<Segment, kSegments> segments_;
  std::vector<Arena> arenas_;  // usually one; more while segments differ in size
  Rehash rehash_;
  std::size_t used_ = 0;
};

}  // namespace lethe
