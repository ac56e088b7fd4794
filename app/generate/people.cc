#include "app/generate/people.h"

#include <algorithm>

namespace lethe {

void People::Add(std::int64_t event, std::optional<std::int64_t> person) {
  retained_.resize(static_cast<std::size_t>(event) + 1, false);
  retained_.back() = true;
  ++count_;
  if (!person) return;
  const auto number = static_cast<std::size_t>(*person);
  if (number >= events_of_.size()) events_of_.resize(number + 1);
  events_of_[number].push_back(event);
}

std::optional<std::int64_t> People::RecentEvent(SplitMix& random, std::int64_t window) const {
  const auto end = static_cast<std::int64_t>(retained_.size());
  const std::int64_t begin = std::max<std::int64_t>(0, end - window);
  // A limited number of tries, because after many deletions the window may have no retained event.
  for (int i = 0; i < 64 && begin < end; ++i) {
    const std::int64_t event = begin + random.Below(end - begin);
    if (IsRetained(event)) return event;
  }
  return std::nullopt;
}

std::optional<std::int64_t> People::AnyEvent(SplitMix& random) const {
  return RecentEvent(random, static_cast<std::int64_t>(retained_.size()));
}

std::optional<std::int64_t> People::OldestEvent() const {
  const auto end = static_cast<std::int64_t>(retained_.size());
  while (oldest_ < end && !IsRetained(oldest_)) ++oldest_;
  if (oldest_ == end) return std::nullopt;
  return oldest_;
}

std::optional<std::int64_t> People::AnyPerson(SplitMix& random) const {
  const auto people = static_cast<std::int64_t>(events_of_.size());
  for (int i = 0; i < 64 && people > 0; ++i) {
    const std::int64_t person = random.Below(people);
    const auto& events = events_of_[static_cast<std::size_t>(person)];
    if (std::any_of(events.begin(), events.end(),
                    [this](std::int64_t event) { return IsRetained(event); })) {
      return person;
    }
  }
  return std::nullopt;
}

void People::RemoveEvent(std::int64_t event) {
  retained_[static_cast<std::size_t>(event)] = false;
  --count_;
}

void People::RemovePerson(std::int64_t person) {
  auto& events = events_of_[static_cast<std::size_t>(person)];
  for (const std::int64_t event : events) {
    if (IsRetained(event)) RemoveEvent(event);
  }
  events.clear();
}

}  // namespace lethe
