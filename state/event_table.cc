#include "state/event_table.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/check.h"

namespace lethe {
namespace {

// Between two growths the table is 4/7 to 4/5 full; while it is small, 2/5 to 4/5.
constexpr double kMostFull = 0.8;
constexpr double kGrowth = 1.4;
constexpr std::size_t kSmall = std::size_t{1} << 16;  // slots of a part: 32 MB in all
constexpr std::size_t kFirstSlots = 16;

std::size_t NextSize(std::size_t size) {
  const double growth = size < kSmall ? 2 : kGrowth;
  return std::max(kFirstSlots, static_cast<std::size_t>(growth * static_cast<double>(size)));
}

std::size_t Limit(std::size_t size) {
  return static_cast<std::size_t>(kMostFull * static_cast<double>(size));
}

}  // namespace

std::size_t EventTable::Slots::Search(std::uint32_t tag, std::size_t at) const {
  while (slots_[at].number != kNone && slots_[at].tag != tag) at = Next(at);
  return at;
}

void EventTable::Slots::Add(std::uint32_t tag, std::uint32_t number) {
  MakeRoom();
  std::size_t at = Home(tag);
  while (slots_[at].number != kNone) at = Next(at);
  slots_[at] = {tag, number};
  ++used_;
}

std::uint32_t EventTable::Slots::Replace(std::uint32_t tag, std::uint32_t number) {
  MakeRoom();
  Slot& slot = slots_[Search(tag, Home(tag))];
  const std::uint32_t before = slot.number;
  if (before == kNone) ++used_;
  slot = {tag, number};
  return before;
}

// Closes the gap, so that no search ends too early and none gets longer with every removal.
void EventTable::Slots::Erase(std::uint32_t tag, std::uint32_t number) {
  if (slots_.empty()) return;
  std::size_t gap = Search(tag, Home(tag));
  while (slots_[gap].number != kNone && slots_[gap].number != number) gap = Search(tag, Next(gap));
  if (slots_[gap].number == kNone) return;
  --used_;
  for (std::size_t at = Next(gap); slots_[at].number != kNone; at = Next(at)) {
    if (Distance(Home(slots_[at].tag), at) < Distance(gap, at)) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap] = {};
}

void EventTable::Slots::Prefetch(std::uint32_t tag) const {
  if (!slots_.empty()) __builtin_prefetch(slots_.data() + Home(tag), 1);
}

void EventTable::Slots::Expect(std::size_t count) {
  std::size_t size = slots_.size();
  while (Limit(NextSize(size)) < count) size = NextSize(size);
  if (Limit(slots_.size()) < count) GrowFrom(size);
}

void EventTable::Slots::GrowFrom(std::size_t size) {
  std::vector<Slot> slots(NextSize(size));
  slots_.swap(slots);
  limit_ = Limit(slots_.size());
  for (const Slot& slot : slots) {
    if (slot.number == kNone) continue;
    std::size_t at = Home(slot.tag);
    while (slots_[at].number != kNone) at = Next(at);
    slots_[at] = slot;
  }
}

std::size_t EventTable::Parts::size() const {
  return std::transform_reduce(parts_.begin(), parts_.end(), std::size_t{0}, std::plus(),
                               [](const Slots& part) { return part.size(); });
}

std::size_t EventTable::Parts::bytes() const {
  return std::transform_reduce(parts_.begin(), parts_.end(), std::size_t{0}, std::plus(),
                               [](const Slots& part) { return part.bytes(); });
}

void EventTable::Expect(std::int64_t count) {
  // Parts are not exactly equal.
  ids_.Expect(static_cast<std::size_t>(1.01 * static_cast<double>(count)) >> kPartBits);
}

void EventTable::Add(EventIndex index, const KeyHash& id, const std::optional<KeyHash>& subject) {
  LETHE_CHECK(index.value >= static_cast<std::int64_t>(removed_.size()));
  LETHE_CHECK(index.value < kMostEvents);
  const auto number = static_cast<std::uint32_t>(index.value);
  removed_.resize(number, true);
  previous_.resize(number, kNone);
  checks_.resize(number);
  removed_.push_back(false);
  previous_.push_back(subject ? subjects_.Of(Tag(*subject)).Replace(Tag(*subject), number) : kNone);
  checks_.push_back(Check(id));
  ids_.Of(Tag(id)).Add(Tag(id), number);
}

void EventTable::Remove(EventIndex index, const KeyHash& id) {
  removed_[static_cast<std::size_t>(index.value)] = true;
  ids_.Of(Tag(id)).Erase(Tag(id), static_cast<std::uint32_t>(index.value));
}

std::vector<EventIndex> EventTable::OfId(const KeyHash& id) const {
  std::vector<EventIndex> events;
  const std::uint32_t tag = Tag(id);
  const Slots& ids = ids_.Of(tag);
  if (ids.size() == 0) return events;
  for (std::size_t at = ids.Search(tag, ids.Home(tag)); ids[at].number != kNone;
       at = ids.Search(tag, ids.Next(at))) {
    if (checks_[ids[at].number] == Check(id)) events.push_back({ids[at].number});
  }
  return events;
}

std::vector<EventIndex> EventTable::OfSubject(const KeyHash& subject) const {
  std::vector<EventIndex> events;
  const std::uint32_t tag = Tag(subject);
  const Slots& subjects = subjects_.Of(tag);
  if (subjects.size() == 0) return events;
  for (std::uint32_t at = subjects[subjects.Search(tag, subjects.Home(tag))].number; at != kNone;
       at = previous_[at]) {
    if (!removed_[at]) events.push_back({at});
  }
  return events;
}

std::size_t EventTable::bytes() const {
  return ids_.bytes() + subjects_.bytes() + previous_.size() * sizeof(std::uint32_t) +
         checks_.size() + removed_.capacity() / 8;
}

}  // namespace lethe
