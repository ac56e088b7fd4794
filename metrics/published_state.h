#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/shard/report.h"

namespace lethe {

// What the process shows outside: the last committed report of each shard, and whether it is ready
// and healthy. Thread-safe.
class PublishedState {
 public:
  explicit PublishedState(PipelineInfo info) : info_(std::move(info)) {}

  PipelineInfo info() const;
  // Once more is known than at the start.
  void SetInfo(PipelineInfo info);

  // Call after a commit, never before; and once when a shard's state is opened, so that its
  // counters are there from the start and do not jump from 0.
  void Show(ShardReport report);
  // In order of shard.
  std::vector<std::shared_ptr<const ShardReport>> reports() const;

  // Reasons why the process is not ready, by key, so that each can be taken back. A lagging process
  // is ready.
  void SetNotReady(const std::string& key, const std::string& reason);
  void SetReady(const std::string& key);
  // Healthy unless set, and not again afterwards: a shard stopped by an error. The first one stays.
  void SetUnhealthy(const std::string& reason);
  void SetStopping();

  // What went wrong lately, newest first; the last ten are kept. Nothing personal.
  struct Trouble {
    std::int64_t time_ms;
    std::string message;
  };
  void AddTrouble(Trouble trouble);
  std::vector<Trouble> troubles() const;

  // Empty: ready. One that stops or is unhealthy is not ready.
  std::vector<std::string> not_ready() const;
  std::optional<std::string> unhealthy() const;

 private:
  mutable std::mutex mutex_;
  PipelineInfo info_;
  std::map<ShardId, std::shared_ptr<const ShardReport>> reports_;
  std::map<std::string, std::string> not_ready_;
  std::optional<std::string> unhealthy_;
  std::deque<Trouble> troubles_;
  bool stopping_ = false;
};

}  // namespace lethe
