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

// Between two rounds of growth the table is 0.58 to 0.785 full; while it is small, from 0.4 on. A
// round lasts until it would be 0.8 full, had it not grown. A part that is unlike the others grows
// when it must.
constexpr double kFull = 0.785;
constexpr double kPartFull = 0.82;
constexpr double kRound = 0.015;
constexpr double kGrowth = 1.35;
constexpr double kMargin = 1.02;                      // for more than was expected
constexpr std::size_t kSmall = std::size_t{1} << 11;  // buckets of a part: 32 MB in all
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
  for (const Room& room : rooms_) munmap(room.buckets, kParts * room.size * sizeof(Bucket));
}

void HashIndex::Part::Insert(std::uint32_t tag, std::uint32_t number_and_one) {
  std::size_t at = Home(tag);
  while (buckets[at].is_full()) at = Next(at);
  buckets[at].Put(buckets[at].used(), tag, number_and_one);
}

void HashIndex::Part::Remove(std::size_t at, unsigned place) {
  const bool was_full = buckets[at].is_full();
  buckets[at].Remove(place);
  if (!was_full) return;
  for (std::size_t behind = Next(at);; behind = Next(behind)) {
    const Bucket& bucket = buckets[behind];
    for (unsigned i = 0; i < bucket.used(); ++i) {
      if (Distance(Home(bucket.tags[i]), behind) < Distance(at, behind)) continue;
      buckets[at].Put(Bucket::kPlaces - 1, bucket.tags[i], bucket.numbers_and_one[i]);
      return Remove(behind, i);
    }
    if (!bucket.is_full()) return;
  }
}

HashIndex::Part& HashIndex::RoomyPartOf(std::uint32_t tag) {
  Part& part = parts_[PartOf(tag)];
  if (part.used >= part.limit) Grow(PartOf(tag), NextSize(part.size));
  return part;
}

void HashIndex::Add(std::uint32_t tag, std::uint32_t number) {
  Part& part = RoomyPartOf(tag);
  part.Insert(tag, number + 1);
  CountAdded(part);
}

std::uint32_t HashIndex::Replace(std::uint32_t tag, std::uint32_t number) {
  Part& part = RoomyPartOf(tag);
  for (std::size_t at = part.Home(tag);; at = part.Next(at)) {
    Bucket& bucket = part.buckets[at];
    if (const unsigned places = bucket.Match(tag); places != 0) {
      return std::exchange(bucket.numbers_and_one[std::countr_zero(places)], number + 1) - 1;
    }
    if (!bucket.is_full()) {
      bucket.Put(bucket.used(), tag, number + 1);
      CountAdded(part);
      return kNone;
    }
  }
}

void HashIndex::Erase(std::uint32_t tag, std::uint32_t number) {
  Part& part = parts_[PartOf(tag)];
  if (part.size == 0) return;
  for (std::size_t at = part.Home(tag);; at = part.Next(at)) {
    const Bucket& bucket = part.buckets[at];
    for (unsigned places = bucket.Match(tag); places != 0; places &= places - 1) {
      const int place = std::countr_zero(places);
      if (bucket.number(place) != number) continue;
      part.Remove(at, static_cast<unsigned>(place));
      --part.used;
      --used_;
      return;
    }
    if (!bucket.is_full()) return;
  }
}

void HashIndex::Prefetch(std::uint32_t tag) const {
  const Part& part = Of(tag);
  if (part.size > 0) __builtin_prefetch(part.buckets + part.Home(tag), 1);
}

void HashIndex::Reserve(std::size_t count) {
  const double places = static_cast<double>(count) * kMargin / kFull;
  const auto size =
      static_cast<std::size_t>(std::ceil(places / static_cast<double>(kParts * Bucket::kPlaces)));
  if (size > round_.size) round_ = {.size = std::max(kFirstBuckets, size)};
  for (std::size_t i = 0; i < kParts; ++i) {
    if (parts_[i].size < round_.size) Grow(i, round_.size);
  }
}

void HashIndex::CountAdded(Part& part) {
  ++part.used;
  ++used_;
  if (--round_.rest == 0) ContinueRound();
}

void HashIndex::ContinueRound() {
  const std::size_t full = Share(kFull, kParts * round_.size * Bucket::kPlaces);
  if (round_.parts == 0 && used_ < full) {
    round_.rest = full - used_;
    return;
  }
  const std::size_t size = NextSize(round_.size);
  if (parts_[round_.parts].size < size) Grow(round_.parts, size);
  if (++round_.parts == kParts) round_ = {.size = size};
  round_.rest = std::max<std::size_t>(1, Share(kRound, round_.size * Bucket::kPlaces));
}

void HashIndex::Grow(std::size_t part, std::size_t size) {
  const Part old = parts_[part];
  Part grown{.buckets = EnterRoom(part, size),
             .size = size,
             .used = old.used,
             .limit = Share(kPartFull, size * Bucket::kPlaces)};
  for (std::size_t i = 0; i < old.size; ++i) {
    const Bucket& bucket = old.buckets[i];
    for (unsigned place = 0; place < bucket.used(); ++place) {
      grown.Insert(bucket.tags[place], bucket.numbers_and_one[place]);
    }
  }
  parts_[part] = grown;
  if (old.size > 0) LeaveRoom(part, old.size);
}

HashIndex::Bucket* HashIndex::EnterRoom(std::size_t part, std::size_t size) {
  auto room = std::find_if(rooms_.begin(), rooms_.end(),
                           [&](const Room& existing) { return existing.size == size; });
  if (room == rooms_.end()) {
    void* const memory = Map(kParts * size * sizeof(Bucket));
    room = rooms_.insert(room, {static_cast<Bucket*>(memory), size, 0});
  }
  ++room->parts;
  return room->buckets + part * size;
}

void HashIndex::LeaveRoom(std::size_t part, std::size_t size) {
  const auto room = std::find_if(rooms_.begin(), rooms_.end(),
                                 [&](const Room& existing) { return existing.size == size; });
  LETHE_CHECK(room != rooms_.end());
  // Pages of small ones are not worth the call, which stops all threads for a moment.
  if (size >= kSmall) Discard(room->buckets + part * size, size * sizeof(Bucket));
  if (--room->parts > 0) return;
  munmap(room->buckets, kParts * size * sizeof(Bucket));
  rooms_.erase(room);
}

std::size_t HashIndex::bytes() const {
  return std::transform_reduce(parts_.begin(), parts_.end(), std::size_t{0}, std::plus(),
                               [](const Part& part) { return part.size * sizeof(Bucket); });
}

}  // namespace lethe
