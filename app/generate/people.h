#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/generate/split_mix.h"

namespace lethe {

// Who still has events in a generated stream, so that requests can be made to hit. Events are
// numbered in order, and so are people: `people` of them at first, more as they turn up.
class People {
 public:
  explicit People(std::int64_t people) : events_of_(static_cast<std::size_t>(people)) {}

  void Add(std::int64_t event, std::optional<std::int64_t> person);

  // An event that is retained, or none: any; one of the last `window`; the first.
  std::optional<std::int64_t> AnyEvent(SplitMix& random) const;
  std::optional<std::int64_t> RecentEvent(SplitMix& random, std::int64_t window) const;
  std::optional<std::int64_t> OldestEvent() const;
  // A person with retained events.
  std::optional<std::int64_t> AnyPerson(SplitMix& random) const;

  void RemoveEvent(std::int64_t event);
  void RemovePerson(std::int64_t person);

 private:
  bool IsRetained(std::int64_t event) const { return retained_[static_cast<std::size_t>(event)]; }

  std::vector<bool> retained_;
  std::int64_t count_ = 0;
  mutable std::int64_t oldest_ = 0;  // nothing before it is retained
  std::vector<std::vector<std::int64_t>> events_of_;
};

}  // namespace lethe
