#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/split_mix.h"

namespace lethe {

// The retained events of a generated stream by person, so that generated requests name something
// that exists. Events and people have numbers from 0 on; the number of people may grow. Not
// thread-safe.
class People {
 public:
  explicit People(std::int64_t people) : events_of_(static_cast<std::size_t>(people)) {}

  void Add(std::int64_t event, std::optional<std::int64_t> person);

  // A retained event: any one, one of the last `window`, or the oldest. None if there is none, or
  // if a few tries in the window find none.
  std::optional<std::int64_t> AnyEvent(SplitMix& random) const;
  std::optional<std::int64_t> RecentEvent(SplitMix& random, std::int64_t window) const;
  std::optional<std::int64_t> OldestEvent() const;
  // A person with retained events; none if a limited number of random tries finds none.
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
