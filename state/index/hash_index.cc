#include "state/index/hash_index.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <new>
#include <numeric>

#include "engine/base/check.h"

namespace lethe {
namespace {

// The load factor. A rehash begins when the table is kFull full, and grows it by kGrowth, to 0.58;
// a small table doubles, to 0.4. While a rehash goes through the 256 segments, each after
// kRehashStep of a segment's slots, the old size would become 0.8 full. A segment that has more
// tags than the others grows alone when it is kSegmentFull full.
constexpr double kFull = 0.785;
constexpr double kSegmentFull = 0.82;
constexpr double kRehashStep = 0.015;
constexpr double kGrowth = 1.35;
constexpr double kMargin = 1.02;  // Reserve allows for so many more numbers than it was told
// Buckets of a segment of a small table, which has up to 32 MB.
constexpr std::size_t kSmall = std::size_t{1} << 11;
constexpr std::size_t kFirstBuckets = 8;

std::size_t Share(double share, std::size_t count) {
  return static_cast<std::size_t>(share * static_cast<double>(count));
}

std::size_t NextSize(std::size_t size) {
  return std::max(kFirstBuckets, Share(size < kSmall ? 2 : kGrowth, size));
}

void* Map(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  madvise(memory, bytes, MADV_HUGEPAGE);  // may fail: only speed depends on it
  return memory;
}

// Returns the pages that lie completely inside the range to the system.
void Discard(void* memory, std::size_t bytes) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + bytes) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace

HashIndex::~HashIndex() {
  for (const Arena& arena : arenas_) munmap(arena.buckets, kSegments * arena.size * sizeof(Bucket));
}

void HashIndex::Segment::Insert(std::uint32_t tag, std::uint32_t number_and_one) {
  std::size_t at = Home(tag);
  while (buckets[at].is_full()) at = Next(at);
  buckets[at].Put(buckets[at].used(), tag, number_and_one);
}

// Backward-shift deletion. A look-up stops at the first bucket that is not full, so a full bucket
// that gets a free slot would hide entries that were pushed past it. The first entry behind it that
// may lie in bucket `at`, since its home is `at` or before it, moves into the free slot. That frees
// a slot further behind, which is closed in the same way. There are no tombstones, so look-ups do
// not get longer with deletions. The cost is the length of a run of full buckets, which is short at
// the load factors above.
void HashIndex::Segment::Remove(std::size_t at, unsigned slot) {
  const bool was_full = buckets[at].is_full();
  buckets[at].Remove(slot);
  if (!was_full) return;
  for (std::size_t behind = Next(at);; behind = Next(behind)) {
    const Bucket& bucket = buckets[behind];
    for (unsigned i = 0; i < bucket.used(); ++i) {
      if (Distance(Home(bucket.tags[i]), behind) < Distance(at, behind)) continue;
      buckets[at].Put(Bucket::kSlots - 1, bucket.tags[i], bucket.numbers_and_one[i]);
      return Remove(behind, i);
    }
    if (!bucket.is_full()) return;
  }
}

HashIndex::Segment& HashIndex::SegmentWithSpace(std::uint32_t tag) {
  Segment& segment = segments_[SegmentOf(tag)];
  if (segment.used >= segment.limit) Grow(SegmentOf(tag), NextSize(segment.size));
  return segment;
}

void HashIndex::Add(std::uint32_t tag, std::uint32_t number) {
  Segment& segment = SegmentWithSpace(tag);
  segment.Insert(tag, number + 1);
  CountAdded(segment);
}

std::uint32_t HashIndex::Replace(std::uint32_t tag, std::uint32_t number) {
  Segment& segment = SegmentWithSpace(tag);
  for (std::size_t at = segment.Home(tag);; at = segment.Next(at)) {
    Bucket& bucket = segment.buckets[at];
    if (const unsigned slots = bucket.Match(tag); slots != 0) {
      return std::exchange(bucket.numbers_and_one[std::countr_zero(slots)], number + 1) - 1;
    }
    if (!bucket.is_full()) {
      bucket.Put(bucket.used(), tag, number + 1);
      CountAdded(segment);
      return kNone;
    }
  }
}

void HashIndex::Erase(std::uint32_t tag, std::uint32_t number) {
  Segment& segment = segments_[SegmentOf(tag)];
  if (segment.size == 0) return;
  for (std::size_t at = segment.Home(tag);; at = segment.Next(at)) {
    const Bucket& bucket = segment.buckets[at];
    for (unsigned slots = bucket.Match(tag); slots != 0; slots &= slots - 1) {
      const int slot = std::countr_zero(slots);
      if (bucket.number(slot) != number) continue;
      segment.Remove(at, static_cast<unsigned>(slot));
      --segment.used;
      --used_;
      return;
    }
    if (!bucket.is_full()) return;
  }
}

void HashIndex::Prefetch(std::uint32_t tag) const {
  const Segment& segment = Of(tag);
  if (segment.size > 0) __builtin_prefetch(segment.buckets + segment.Home(tag), 1);
}

void HashIndex::Reserve(std::size_t count) {
  const double slots = static_cast<double>(count) * kMargin / kFull;
  const auto size =
      static_cast<std::size_t>(std::ceil(slots / static_cast<double>(kSegments * Bucket::kSlots)));
  if (size > rehash_.size) rehash_ = {.size = std::max(kFirstBuckets, size)};
  for (std::size_t i = 0; i < kSegments; ++i) {
    if (segments_[i].size < rehash_.size) Grow(i, rehash_.size);
  }
}

void HashIndex::CountAdded(Segment& segment) {
  ++segment.used;
  ++used_;
  if (--rehash_.rest == 0) ContinueRehash();
}

// Begins a rehash if the table is full enough, or else sleeps until it is; during a rehash, grows
// the next segment. The last segment ends the rehash.
void HashIndex::ContinueRehash() {
  const std::size_t full = Share(kFull, kSegments * rehash_.size * Bucket::kSlots);
  if (rehash_.segments == 0 && used_ < full) {
    rehash_.rest = full - used_;
    return;
  }
  const std::size_t size = NextSize(rehash_.size);
  if (segments_[rehash_.segments].size < size) Grow(rehash_.segments, size);
  if (++rehash_.segments == kSegments) rehash_ = {.size = size};
  rehash_.rest = std::max<std::size_t>(1, Share(kRehashStep, rehash_.size * Bucket::kSlots));
}

// Copies a segment to buckets of another size. Old buckets are read in order, and the home buckets
// of their entries are in the same order, so both sides are read and written sequentially.
void HashIndex::Grow(std::size_t segment, std::size_t size) {
  const Segment old = segments_[segment];
  Segment grown{.buckets = TakeFromArena(segment, size),
                .size = size,
                .used = old.used,
                .limit = Share(kSegmentFull, size * Bucket::kSlots)};
  for (std::size_t i = 0; i < old.size; ++i) {
    const Bucket& bucket = old.buckets[i];
    for (unsigned slot = 0; slot < bucket.used(); ++slot) {
      grown.Insert(bucket.tags[slot], bucket.numbers_and_one[slot]);
    }
  }
  segments_[segment] = grown;
  if (old.size > 0) ReturnToArena(segment, old.size);
}

// The buckets of segment i are at position i * size of the arena of that size, which is mapped for
// all segments when the first one needs it. Pages that are not touched take no memory.
HashIndex::Bucket* HashIndex::TakeFromArena(std::size_t segment, std::size_t size) {
  auto arena = std::find_if(arenas_.begin(), arenas_.end(),
                            [&](const Arena& existing) { return existing.size == size; });
  if (arena == arenas_.end()) {
    void* const memory = Map(kSegments * size * sizeof(Bucket));
    arena = arenas_.insert(arena, {static_cast<Bucket*>(memory), size, 0});
  }
  ++arena->segments;
  return arena->buckets + segment * size;
}

void HashIndex::ReturnToArena(std::size_t segment, std::size_t size) {
  const auto arena = std::find_if(arenas_.begin(), arenas_.end(),
                                  [&](const Arena& existing) { return existing.size == size; });
  LETHE_CHECK(arena != arenas_.end());
  // Small segments keep their pages until the arena is unmapped: madvise interrupts the other
  // threads, which costs more than the memory is worth.
  if (size >= kSmall) Discard(arena->buckets + segment * size, size * sizeof(Bucket));
  if (--arena->segments > 0) return;
  munmap(arena->buckets, kSegments * size * sizeof(Bucket));
  arenas_.erase(arena);
}

std::size_t HashIndex::bytes() const {
  return std::transform_reduce(
      segments_.begin(), segments_.end(), std::size_t{0}, std::plus(),
      [](const Segment& segment) { return segment.size * sizeof(Bucket); });
}

}  // namespace lethe
