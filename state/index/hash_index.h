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

// From tags of 32 evenly spread bits to numbers, one or several of a tag. Eight of them share a
// line of the processor's cache, a bucket: a look-up compares all its tags at once, and goes on to
// the next one only if it is full. In segments, by the first bits of the tag, that grow one at a
// time, in order and with some additions in between: none waits long, and only one is there twice
// meanwhile. Parts of a size lie side by side in memory of large pages, because a look-up hits any
// slot, and to find its page would take as long as to read it. Not thread-safe.
class HashIndex {
 public:
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

  // A hint that there will be so many numbers soon.
  void Reserve(std::size_t count);

  void Add(std::uint32_t tag, std::uint32_t number);
  // Sets the number of a tag that has one at most, and returns the one it had, or kNone.
  std::uint32_t Replace(std::uint32_t tag, std::uint32_t number);
  void Erase(std::uint32_t tag, std::uint32_t number);

  // Any number of the tag, or kNone.
  std::uint32_t Find(std::uint32_t tag) const {
    std::uint32_t found = kNone;
    ForEach(tag, [&](std::uint32_t number) { found = number; });
    return found;
  }
  // All numbers of the tag, in no order.
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
  // A hint that the tag will be looked up soon. (Inline, GCC 12 would take it for a function
  // without effect, and leave it out.)
  void Prefetch(std::uint32_t tag) const;

  std::size_t size() const { return used_; }  // numbers
  std::size_t bytes() const;                  // of the buckets

 private:
  static constexpr int kSegmentBits = 8;
  static constexpr std::size_t kSegments = std::size_t{1} << kSegmentBits;

  // The first slots are used, the others zero, as fresh memory is.
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
    // The slots with this tag, as bits.
    unsigned Match(std::uint32_t tag) const {
      const unsigned slots = SlotsEqual(tags, tag);
      return slots == 0 ? 0 : slots & ~SlotsEqual(numbers_and_one, 0);
    }
    void Put(unsigned slot, std::uint32_t tag, std::uint32_t number_and_one) {
      tags[slot] = tag;
      numbers_and_one[slot] = number_and_one;
    }
    // Takes one out, and puts the last in its slot.
    void Remove(unsigned slot) {
      const unsigned last = used() - 1;
      Put(slot, tags[last], numbers_and_one[last]);
      Put(last, 0, 0);
    }

   private:
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

  // A bucket follows from the tag, so that a segment can grow without the hashes, and in one sweep.
  struct Segment {
    Bucket* buckets = nullptr;
    std::size_t size = 0;   // buckets
    std::size_t used = 0;   // numbers
    std::size_t limit = 0;  // where it has to grow

    std::size_t Home(std::uint32_t tag) const {
      return (std::uint64_t{tag << kSegmentBits} * size) >> 32;
    }
    std::size_t Next(std::size_t at) const { return at + 1 == size ? 0 : at + 1; }
    std::size_t Distance(std::size_t from, std::size_t to) const {
      return to >= from ? to - from : to + size - from;
    }
    void Insert(std::uint32_t tag, std::uint32_t number_and_one);
    // Takes one out. What is behind a bucket that was full, for want of a free slot in it, moves
    // up, so that no search ends too early and none gets longer with every removal.
    void Remove(std::size_t at, unsigned slot);
  };

  // Memory for all segments of a size.
  struct Arena {
    Bucket* buckets;
    std::size_t size;  // of a segment
    int segments;      // that are in it
  };

  // All segments grow to the next size, one after the other.
  struct Rehash {
    std::size_t size = 0;      // that all segments have, or more
    std::size_t segments = 0;  // that have grown; none: it has not begun
    std::size_t rest = 1;      // additions until the next one does
  };

  static std::size_t SegmentOf(std::uint32_t tag) { return tag >> (32 - kSegmentBits); }
  const Segment& Of(std::uint32_t tag) const { return segments_[SegmentOf(tag)]; }
  // With a free slot for one more.
  Segment& SegmentWithSpace(std::uint32_t tag);
  void CountAdded(Segment& segment);
  void ContinueRehash();
  void Grow(std::size_t segment, std::size_t size);
  Bucket* TakeFromArena(std::size_t segment, std::size_t size);
  void ReturnToArena(std::size_t segment, std::size_t size);

  std::array<Segment, kSegments> segments_;
  std::vector<Arena> arenas_;  // one, or while segments move two
  Rehash rehash_;
  std::size_t used_ = 0;
};

}  // namespace lethe
