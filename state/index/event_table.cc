#include "state/index/event_table.h"

#include <algorithm>

#include "engine/base/check.h"

namespace lethe {

void EventTable::Add(EventIndex index, const KeyHash& id, const std::optional<KeyHash>& subject) {
  LETHE_CHECK(index.value >= end());
  LETHE_CHECK(index.value < kMostEvents);
  const auto number = static_cast<std::uint32_t>(index.value);
  if (index.value > end()) {
    removed_.resize(At(index.value), true);
    previous_.resize(At(index.value), kNone);
    checks_.resize(At(index.value));
  }
  removed_.push_back(false);
  // The events of a subject form a linked list, newest first; subjects_ has its head.
  previous_.push_back(subject ? subjects_.Replace(Tag(*subject), number) : kNone);
  checks_.push_back(Check(id));
  ids_.Add(Tag(id), number);
}

// If the event is the head of its subject's list, the head moves to the next event that is left. So
// subjects_ never has a tag of which all events are removed.
void EventTable::Remove(EventIndex index, const KeyHash& id,
                        const std::optional<KeyHash>& subject) {
  const auto number = static_cast<std::uint32_t>(index.value);
  removed_[At(index.value)] = true;
  ids_.Erase(Tag(id), number);
  if (!subject || subjects_.Find(Tag(*subject)) != number) return;
  const std::uint32_t head = NewestFrom(number);
  if (head == kNone) {
    subjects_.Erase(Tag(*subject), number);
  } else {
    subjects_.Replace(Tag(*subject), head);
  }
}

std::uint32_t EventTable::NewestFrom(std::uint32_t number) const {
  while (number != kNone && number >= first_) {
    if (!removed_[At(number)]) return number;
    number = previous_[At(number)];
  }
  return kNone;
}

void EventTable::DropBefore(EventIndex index) {
  if (index.value <= first_) return;
  const auto count = static_cast<std::ptrdiff_t>(std::min(index.value, end()) - first_);
  previous_.erase(previous_.begin(), previous_.begin() + count);
  checks_.erase(checks_.begin(), checks_.begin() + count);
  removed_.erase(removed_.begin(), removed_.begin() + count);
  first_ = index.value;
}

std::vector<EventIndex> EventTable::OfId(const KeyHash& id) const {
  std::vector<EventIndex> events;
  ids_.ForEach(Tag(id), [&](std::uint32_t number) {
    if (checks_[At(number)] == Check(id)) events.push_back({number});
  });
  return events;
}

std::vector<EventIndex> EventTable::OfSubject(const KeyHash& subject) const {
  std::vector<EventIndex> events;
  std::uint32_t at = NewestFrom(subjects_.Find(Tag(subject)));
  while (at != kNone) {
    events.push_back({at});
    at = NewestFrom(previous_[At(at)]);
  }
  return events;
}

std::size_t EventTable::bytes() const {
  return ids_.bytes() + subjects_.bytes() + previous_.size() * sizeof(std::uint32_t) +
         checks_.size() + removed_.capacity() / 8;
}

}  // namespace lethe
