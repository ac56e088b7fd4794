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

// Between two rehashes the table is 0.58 to 0.785 full; while it is small, from 0.4 on. A
// rehash lasts until it would be 0.8 full, had it not grown. A segment that is unlike the others
// grows when it must.
constexpr double kFull = 0.785;
constexpr double kSegmentFull = 0.82;
constexpr double kRehashStep = 0.015;
constexpr double kGrowth = 1.35;
constexpr double kMargin = 1.02;                      // for more than was expected
constexpr std::size_t kSmall = std::size_t{1} << 11;  // buckets of a segment: 32 MB in all
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
  madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: it works without
  return memory;
}

// Gives back the pages that lie wholly inside.
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
  // Pages of small ones are not worth the call, which stops all threads for a moment.
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
