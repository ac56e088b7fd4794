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
// the next one only if it is full. In parts, by the first bits of the tag, that grow one at a time,
// in order and with some additions in between: none waits long, and only one is there twice
// meanwhile. Parts of a size lie side by side in memory of large pages, because a look-up hits any
// place, and to find its page would take as long as to read it. Not thread-safe.
class HashIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  HashIndex() = default;
  ~HashIndex();
  HashIndex(HashIndex&& other) noexcept { *this = std::move(other); }
  HashIndex& operator=(HashIndex&& other) noexcept {
    parts_.swap(other.parts_);
    rooms_.swap(other.rooms_);
    std::swap(round_, other.round_);
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
    const Part& part = Of(tag);
    if (part.size == 0) return;
    for (std::size_t at = part.Home(tag);; at = part.Next(at)) {
      const Bucket& bucket = part.buckets[at];
      for (unsigned places = bucket.Match(tag); places != 0; places &= places - 1) {
        visit(bucket.number(std::countr_zero(places)));
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
  static constexpr int kPartBits = 8;
  static constexpr std::size_t kParts = std::size_t{1} << kPartBits;

  // The first places are used, the others zero, as fresh memory is.
  struct alignas(64) Bucket {
    static constexpr unsigned kPlaces = 8;

    std::array<std::uint32_t, kPlaces> tags;
    std::array<std::uint32_t, kPlaces> numbers_and_one;

    std::uint32_t number(int place) const {
      return numbers_and_one[static_cast<std::size_t>(place)] - 1;
    }
    bool is_full() const { return numbers_and_one.back() != 0; }
    unsigned used() const {
      return static_cast<unsigned>(std::countr_zero(Places(numbers_and_one, 0) | 1u << kPlaces));
    }
    // The places with this tag, as bits.
    unsigned Match(std::uint32_t tag) const {
      const unsigned places = Places(tags, tag);
      return places == 0 ? 0 : places & ~Places(numbers_and_one, 0);
    }
    void Put(unsigned place, std::uint32_t tag, std::uint32_t number_and_one) {
      tags[place] = tag;
      numbers_and_one[place] = number_and_one;
    }
    // Takes one out, and puts the last in its place.
    void Remove(unsigned place) {
      const unsigned last = used() - 1;
      Put(place, tags[last], numbers_and_one[last]);
      Put(last, 0, 0);
    }

   private:
    static unsigned Places(const std::array<std::uint32_t, kPlaces>& values, std::uint32_t wanted) {
#if defined(__SSE2__) && !defined(LETHE_PORTABLE)
      const auto* const halves = reinterpret_cast<const __m128i*>(values.data());
      const __m128i all = _mm_set1_epi32(static_cast<int>(wanted));
      const auto equal = [&](int half) {
        return static_cast<unsigned>(
            _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(_mm_load_si128(halves + half), all))));
      };
      return equal(0) | equal(1) << 4;
#else
      unsigned places = 0;
      for (unsigned i = 0; i < kPlaces; ++i) places |= unsigned{values[i] == wanted} << i;
      return places;
#endif
    }
  };

  // A bucket follows from the tag, so that a part can grow without the hashes, and in one sweep.
  struct Part {
    Bucket* buckets = nullptr;
    std::size_t size = 0;   // buckets
    std::size_t used = 0;   // numbers
    std::size_t limit = 0;  // where it has to grow

    std::size_t Home(std::uint32_t tag) const {
      return (std::uint64_t{tag << kPartBits} * size) >> 32;
    }
    std::size_t Next(std::size_t at) const { return at + 1 == size ? 0 : at + 1; }
    std::size_t Distance(std::size_t from, std::size_t to) const {
      return to >= from ? to - from : to + size - from;
    }
    void Insert(std::uint32_t tag, std::uint32_t number_and_one);
    // Takes one out. What is behind a bucket that was full, for want of room in it, moves up, so
    // that no search ends too early and none gets longer with every removal.
    void Remove(std::size_t at, unsigned place);
  };

  // Room for all parts of a size.
  struct Room {
    Bucket* buckets;
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
  Bucket* EnterRoom(std::size_t part, std::size_t size);
  void LeaveRoom(std::size_t part, std::size_t size);

  std::array<Part, kParts> parts_;
  std::vector<Room> rooms_;  // one, or while parts move two
  Round round_;
  std::size_t used_ = 0;
};

}  // namespace lethe
