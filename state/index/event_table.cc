#include "state/index/event_table.h"

#include "engine/base/check.h"

namespace lethe {

void EventTable::Add(EventIndex index, const KeyHash& id, const std::optional<KeyHash>& subject) {
  LETHE_CHECK(index.value >= static_cast<std::int64_t>(removed_.size()));
  LETHE_CHECK(index.value < kMostEvents);
  const auto number = static_cast<std::uint32_t>(index.value);
  if (number > removed_.size()) {
    removed_.resize(number, true);
    previous_.resize(number, kNone);
    checks_.resize(number);
  }
  removed_.push_back(false);
  // The events of a subject form a linked list, newest first; subjects_ has its head.
  previous_.push_back(subject ? subjects_.Replace(Tag(*subject), number) : kNone);
  checks_.push_back(Check(id));
  ids_.Add(Tag(id), number);
}

void EventTable::Remove(EventIndex index, const KeyHash& id) {
  removed_[static_cast<std::size_t>(index.value)] = true;
  ids_.Erase(Tag(id), static_cast<std::uint32_t>(index.value));
}

std::vector<EventIndex> EventTable::OfId(const KeyHash& id) const {
  std::vector<EventIndex> events;
  ids_.ForEach(Tag(id), [&](std::uint32_t number) {
    if (checks_[number] == Check(id)) events.push_back({number});
  });
  return events;
}

std::vector<EventIndex> EventTable::OfSubject(const KeyHash& subject) const {
  std::vector<EventIndex> events;
  for (std::uint32_t at = subjects_.Find(Tag(subject)); at != kNone; at = previous_[at]) {
    if (!removed_[at]) events.push_back({at});
  }
  return events;
}

std::size_t EventTable::bytes() const {
  return ids_.bytes() + subjects_.bytes() + previous_.size() * sizeof(std::uint32_t) +
         checks_.size() + removed_.capacity() / 8;
}

}  // namespace lethe
