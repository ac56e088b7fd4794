#include "state/slot_table.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <new>
#include <numeric>

#include "engine/check.h"

namespace lethe {
namespace {

// Between two rounds of growth the table is 0.58 to 0.785 full; while it is small, from 0.4 on. A
// round lasts until it would be 0.8 full, had it not grown. A part that is unlike the others grows
// when it must.
constexpr double kFull = 0.785;
constexpr double kPartFull = 0.82;
constexpr double kRound = 0.015;
constexpr double kGrowth = 1.35;
constexpr std::size_t kSmall = std::size_t{1} << 14;  // slots of a part: 32 MB in all
constexpr std::size_t kFirstSlots = 64;

std::size_t Share(double share, std::size_t slots) {
  return static_cast<std::size_t>(share * static_cast<double>(slots));
}

std::size_t NextSize(std::size_t size) {
  return std::max(kFirstSlots, Share(size < kSmall ? 2 : kGrowth, size));
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

SlotTable::~SlotTable() {
  for (const Room& room : rooms_) munmap(room.slots, kParts * room.size * sizeof(Slot));
}

void SlotTable::Part::Insert(const Slot& slot) {
  std::size_t at = Home(slot.tag);
  while (!slots[at].is_empty()) at = Next(at);
  slots[at] = slot;
}

SlotTable::Part& SlotTable::RoomyPartOf(std::uint32_t tag) {
  Part& part = parts_[PartOf(tag)];
  if (part.used >= part.limit) Grow(PartOf(tag), NextSize(part.size));
  return part;
}

void SlotTable::Add(std::uint32_t tag, std::uint32_t number) {
  Part& part = RoomyPartOf(tag);
  part.Insert({tag, number + 1});
  CountAdded(part);
}

std::uint32_t SlotTable::Replace(std::uint32_t tag, std::uint32_t number) {
  Part& part = RoomyPartOf(tag);
  Slot& slot = part.slots[part.Search(tag, part.Home(tag))];
  const Slot before = slot;
  slot = {tag, number + 1};
  if (before.is_empty()) CountAdded(part);
  return before.number();
}

// Closes the gap, so that no search ends too early and none gets longer with every removal.
void SlotTable::Erase(std::uint32_t tag, std::uint32_t number) {
  Part& part = parts_[PartOf(tag)];
  if (part.size == 0) return;
  Slot* const slots = part.slots;
  std::size_t gap = part.Search(tag, part.Home(tag));
  while (!slots[gap].is_empty() && slots[gap].number() != number) {
    gap = part.Search(tag, part.Next(gap));
  }
  if (slots[gap].is_empty()) return;
  --part.used;
  --used_;
  for (std::size_t at = part.Next(gap); !slots[at].is_empty(); at = part.Next(at)) {
    if (part.Distance(part.Home(slots[at].tag), at) < part.Distance(gap, at)) continue;
    slots[gap] = slots[at];
    gap = at;
  }
  slots[gap] = {};
}

void SlotTable::Prefetch(std::uint32_t tag) const {
  const Part& part = Of(tag);
  if (part.size > 0) __builtin_prefetch(part.slots + part.Home(tag), 1);
}

void SlotTable::Expect(std::size_t count) {
  while (Share(kFull, kParts * round_.size) < count) {
    round_ = {.size = NextSize(round_.size)};
  }
  for (std::size_t i = 0; i < kParts; ++i) {
    if (parts_[i].size < round_.size) Grow(i, round_.size);
  }
}

void SlotTable::CountAdded(Part& part) {
  ++part.used;
  ++used_;
  if (--round_.rest == 0) ContinueRound();
}

void SlotTable::ContinueRound() {
  const std::size_t full = Share(kFull, kParts * round_.size);
  if (round_.parts == 0 && used_ < full) {
    round_.rest = full - used_;
    return;
  }
  const std::size_t size = NextSize(round_.size);
  if (parts_[round_.parts].size < size) Grow(round_.parts, size);
  if (++round_.parts == kParts) round_ = {.size = size};
  round_.rest = std::max<std::size_t>(1, Share(kRound, round_.size));
}

void SlotTable::Grow(std::size_t part, std::size_t size) {
  const Part old = parts_[part];
  Part grown{.slots = EnterRoom(part, size),
             .size = size,
             .used = old.used,
             .limit = Share(kPartFull, size)};
  for (std::size_t i = 0; i < old.size; ++i) {
    if (!old.slots[i].is_empty()) grown.Insert(old.slots[i]);
  }
  parts_[part] = grown;
  if (old.size > 0) LeaveRoom(part, old.size);
}

SlotTable::Slot* SlotTable::EnterRoom(std::size_t part, std::size_t size) {
  auto room = std::find_if(rooms_.begin(), rooms_.end(),
                           [&](const Room& existing) { return existing.size == size; });
  if (room == rooms_.end()) {
    void* const memory = Map(kParts * size * sizeof(Slot));
    room = rooms_.insert(room, {static_cast<Slot*>(memory), size, 0});
  }
  ++room->parts;
  return room->slots + part * size;
}

void SlotTable::LeaveRoom(std::size_t part, std::size_t size) {
  const auto room = std::find_if(rooms_.begin(), rooms_.end(),
                                 [&](const Room& existing) { return existing.size == size; });
  LETHE_CHECK(room != rooms_.end());
  // Pages of small ones are not worth the call, which stops all threads for a moment.
  if (size >= kSmall) Discard(room->slots + part * size, size * sizeof(Slot));
  if (--room->parts > 0) return;
  munmap(room->slots, kParts * size * sizeof(Slot));
  rooms_.erase(room);
}

std::size_t SlotTable::bytes() const {
  return std::transform_reduce(parts_.begin(), parts_.end(), std::size_t{0}, std::plus(),
                               [](const Part& part) { return part.size * sizeof(Slot); });
}

}  // namespace lethe
