#include "state/memory_state.h"

#include <algorithm>

namespace lethe {

std::optional<LearnedEvent> MemoryState::FindId(const KeyHash& id) const {
  for (const EventIndex index : table_.OfId(id)) {
    const LearnedEvent& event = At(index);
    if (event.id == id) return event;
  }
  return std::nullopt;
}

std::vector<LearnedEvent> MemoryState::FindSubject(const KeyHash& subject) const {
  std::vector<LearnedEvent> found;
  for (const EventIndex index : table_.OfSubject(subject)) {
    const LearnedEvent& event = At(index);
    if (event.subject == subject) found.push_back(event);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

void MemoryState::AddEvent(const LearnedEvent& event) {
  table_.Add(event.index, event.id, event.subject);
  events_.resize(static_cast<std::size_t>(event.index.value - table_.first().value));
  events_.push_back(event);
}

void MemoryState::RemoveEvent(const LearnedEvent& event) {
  table_.Remove(event.index, event.id, event.subject);
  At(event.index) = {};
}

void MemoryState::DropBefore(EventIndex index) {
  const std::int64_t first = table_.first().value;
  for (std::int64_t i = first; i < index.value; ++i) {
    if (table_.Has({i})) RemoveEvent(LearnedEvent(At({i})));
  }
  const auto count = std::min(static_cast<std::ptrdiff_t>(index.value - first),
                              static_cast<std::ptrdiff_t>(events_.size()));
  events_.erase(events_.begin(), events_.begin() + count);
  table_.DropBefore(index);
}

}  // namespace lethe
