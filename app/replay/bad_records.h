#pragma once

#include <string>
#include <vector>

#include "engine/ports/event.h"

namespace lethe {

// The rejected records of a replay: the first few as text for the person at the terminal, and the
// number of all others. The text has positions and reasons, never values. Not thread-safe.
class BadRecords {
 public:
  void Add(ShardId shard, Offset offset, const Rejection& why) {
    ++count_;
    if (examples_.size() >= kMostShown) return;
    examples_.push_back("shard " + std::to_string(shard.value) + ", offset " +
                        std::to_string(offset.value) + ": " + why.message + " (" +
                        ReasonName(why.reason) + ")");
  }

  const std::vector<std::string>& examples() const { return examples_; }
  std::int64_t more() const { return count_ - static_cast<std::int64_t>(examples_.size()); }

 private:
  static constexpr std::size_t kMostShown = 5;
  std::vector<std::string> examples_;
  std::int64_t count_ = 0;
};

}  // namespace lethe
