#include "state/memory_state.h"

namespace lethe {

std::optional<LearnedEvent> MemoryState::FindId(const KeyHash& id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

std::vector<LearnedEvent> MemoryState::FindSubject(const KeyHash& subject) const {
  std::vector<LearnedEvent> events;
  const auto found = by_subject_.find(subject);
  if (found == by_subject_.end()) return events;
  for (const auto& [index, id] : found->second) events.push_back(by_id_.at(id));
  return events;
}

std::optional<Refusal> MemoryState::FindRefusal(const KeyHash& hash) const {
  const auto found = refusals_.find(hash);
  if (found == refusals_.end()) return std::nullopt;
  return found->second;
}

void MemoryState::AddEvent(const LearnedEvent& event) {
  by_id_[event.id] = event;
  if (event.subject) by_subject_[*event.subject].insert({event.index, event.id});
}

void MemoryState::RemoveEvent(const LearnedEvent& event) {
  by_id_.erase(event.id);
  if (!event.subject) return;
  const auto found = by_subject_.find(*event.subject);
  if (found == by_subject_.end()) return;
  found->second.erase({event.index, event.id});
  if (found->second.empty()) by_subject_.erase(found);
}

void MemoryState::Refuse(const KeyHash& hash, const Refusal& refusal) {
  const auto old = refusals_.find(hash);
  if (old != refusals_.end()) expiries_.erase({old->second.until, hash});
  refusals_[hash] = refusal;
  if (refusal.until != kNoTime) expiries_.insert({refusal.until, hash});
}

void MemoryState::ExpireRefusals(TimeMs now) {
  while (!expiries_.empty() && expiries_.begin()->first < now) {
    refusals_.erase(expiries_.begin()->second);
    expiries_.erase(expiries_.begin());
  }
}

}  // namespace lethe
