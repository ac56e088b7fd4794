#include "state/memory_payloads.h"

#include <algorithm>

#include "engine/check.h"

namespace lethe {
namespace {

std::int64_t Bytes(const Example& example) {
  return static_cast<std::int64_t>(sizeof(double) * (example.x.size() + 1) +
                                   sizeof(std::uint32_t) * example.at.size());
}

}  // namespace

void MemoryPayloads::Add(EventIndex index, const Example& example) {
  LETHE_CHECK(slots_.empty() || slots_.back().index < index);
  slots_.push_back({index, true, example});
  ++count_;
  bytes_ += Bytes(example);
}

void MemoryPayloads::Clear(Slot& slot) {
  --count_;
  bytes_ -= Bytes(slot.example);
  slot.example.x.setZero();
  std::fill(slot.example.at.begin(), slot.example.at.end(), 0);
  slot.example = {};
  slot.is_retained = false;
}

void MemoryPayloads::Remove(EventIndex index) {
  const auto slot =
      std::lower_bound(slots_.begin() + static_cast<std::ptrdiff_t>(first_), slots_.end(), index,
                       [](const Slot& s, EventIndex i) { return s.index < i; });
  // Outside of a window there is nothing to remove.
  if (slot == slots_.end() || slot->index != index || !slot->is_retained) return;
  Clear(*slot);
  Compact();
}

void MemoryPayloads::DropBefore(EventIndex index) {
  while (first_ < slots_.size() && slots_[first_].index < index) {
    if (slots_[first_].is_retained) Clear(slots_[first_]);
    ++first_;
  }
  Compact();
}

void MemoryPayloads::Compact() {
  if (slots_.size() < 64 || 2 * static_cast<std::size_t>(count_) > slots_.size()) return;
  std::erase_if(slots_, [](const Slot& slot) { return !slot.is_retained; });
  first_ = 0;
}

void MemoryPayloads::ForEach(const Visitor& visit) const {
  for (std::size_t i = first_; i < slots_.size(); ++i) {
    if (slots_[i].is_retained) visit(slots_[i].index, slots_[i].example);
  }
}

}  // namespace lethe
