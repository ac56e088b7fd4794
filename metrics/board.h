#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/report.h"

namespace lethe {

// What the process shows outside: the last committed report of each shard, and figures of the
// running pipeline that no commit covers. Thread-safe.
class Board {
 public:
  explicit Board(PipelineFacts facts) : facts_(std::move(facts)) {}

  const PipelineFacts& facts() const { return facts_; }

  // Call after a commit, never before.
  void Show(ShardReport report);
  // In order of shard.
  std::vector<std::shared_ptr<const ShardReport>> reports() const;

 private:
  const PipelineFacts facts_;
  mutable std::mutex mutex_;
  std::map<ShardId, std::shared_ptr<const ShardReport>> reports_;
};

}  // namespace lethe
