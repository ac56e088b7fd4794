#include "state/memory_state.h"

#include <algorithm>

namespace lethe {

std::optional<LearnedEvent> MemoryState::FindId(const KeyHash& id) const {
  for (const EventIndex index : table_.OfId(id)) {
    const LearnedEvent& event = events_[static_cast<std::size_t>(index.value)];
    if (event.id == id) return event;
  }
  return std::nullopt;
}

std::vector<LearnedEvent> MemoryState::FindSubject(const KeyHash& subject) const {
  std::vector<LearnedEvent> found;
  for (const EventIndex index : table_.OfSubject(subject)) {
    const LearnedEvent& event = events_[static_cast<std::size_t>(index.value)];
    if (event.subject == subject) found.push_back(event);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

void MemoryState::AddEvent(const LearnedEvent& event) {
  table_.Add(event.index, event.id, event.subject);
  events_.resize(static_cast<std::size_t>(event.index.value));
  events_.push_back(event);
}

void MemoryState::RemoveEvent(const LearnedEvent& event) {
  table_.Remove(event.index, event.id);
  events_[static_cast<std::size_t>(event.index.value)] = {};
}

}  // namespace lethe
