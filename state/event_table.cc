#include "state/event_table.h"

#include "engine/check.h"

namespace lethe {

// The first place with this hash, or else the empty one where it belongs.
std::size_t EventTable::Slots::Place(std::uint64_t hash) const {
  const std::size_t mask = hashes_.size() - 1;
  std::size_t at = hash & mask;
  while (numbers_[at] != kNone && hashes_[at] != hash) at = (at + 1) & mask;
  return at;
}

std::uint32_t EventTable::Slots::Find(std::uint64_t hash) const {
  return hashes_.empty() ? kNone : numbers_[Place(hash)];
}

std::uint32_t EventTable::Slots::Set(std::uint64_t hash, std::uint32_t number) {
  if (4 * (used_ + 1) > 3 * hashes_.size()) Grow();
  const std::size_t at = Place(hash);
  const std::uint32_t before = numbers_[at];
  if (before == kNone) ++used_;
  hashes_[at] = hash;
  numbers_[at] = number;
  return before;
}

// Closes the gap, so that no search ends too early and none gets longer with every removal.
void EventTable::Slots::Erase(std::uint64_t hash) {
  if (hashes_.empty()) return;
  const std::size_t mask = hashes_.size() - 1;
  std::size_t gap = Place(hash);
  if (numbers_[gap] == kNone) return;
  --used_;
  for (std::size_t at = (gap + 1) & mask; numbers_[at] != kNone; at = (at + 1) & mask) {
    const std::size_t home = hashes_[at] & mask;
    if (((at - home) & mask) < ((at - gap) & mask)) continue;
    hashes_[gap] = hashes_[at];
    numbers_[gap] = numbers_[at];
    gap = at;
  }
  numbers_[gap] = kNone;
}

void EventTable::Slots::Grow() {
  std::vector<std::uint64_t> hashes(std::max<std::size_t>(64, 2 * hashes_.size()));
  std::vector<std::uint32_t> numbers(hashes.size(), kNone);
  hashes_.swap(hashes);
  numbers_.swap(numbers);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (numbers[i] == kNone) continue;
    const std::size_t at = Place(hashes[i]);
    hashes_[at] = hashes[i];
    numbers_[at] = numbers[i];
  }
}

void EventTable::Add(EventIndex index, const KeyHash& id, const std::optional<KeyHash>& subject) {
  LETHE_CHECK(index.value >= static_cast<std::int64_t>(removed_.size()));
  LETHE_CHECK(index.value < kMostEvents);
  const auto number = static_cast<std::uint32_t>(index.value);
  removed_.resize(number, true);
  removed_.push_back(false);
  previous_.resize(number, Slots::kNone);
  previous_.push_back(subject ? subjects_.Set(subject->low, number) : Slots::kNone);
  ids_.Set(id.low, number);
}

void EventTable::Remove(EventIndex index, const KeyHash& id) {
  removed_[static_cast<std::size_t>(index.value)] = true;
  if (ids_.Find(id.low) == static_cast<std::uint32_t>(index.value)) ids_.Erase(id.low);
}

std::optional<EventIndex> EventTable::OfId(const KeyHash& id) const {
  const std::uint32_t number = ids_.Find(id.low);
  if (number == Slots::kNone) return std::nullopt;
  return EventIndex{number};
}

std::vector<EventIndex> EventTable::OfSubject(const KeyHash& subject) const {
  std::vector<EventIndex> events;
  for (std::uint32_t at = subjects_.Find(subject.low); at != Slots::kNone; at = previous_[at]) {
    if (!removed_[at]) events.push_back({at});
  }
  return events;
}

}  // namespace lethe
