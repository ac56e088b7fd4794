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

// The state that the process publishes over HTTP and as metrics: the last committed report of each
// shard, and whether the process is ready and healthy. Thread-safe. Reports are immutable and
// shared, so a reader may keep one while newer ones are shown. No call fails.
class PublishedState {
 public:
  explicit PublishedState(PipelineInfo info) : info_(std::move(info)) {}

  PipelineInfo info() const;
  // Replaces the information, once more of it is known than at the start.
  void SetInfo(PipelineInfo info);

  // Replaces the report of a shard. Call it after the commit that the report covers, never before
  // it. Call it also when the state of a shard is opened, so that its counters do not jump from 0.
  void Show(ShardReport report);
  // The last report of each shard, in order of shard. Empty before the first Show.
  std::vector<std::shared_ptr<const ShardReport>> reports() const;

  // Adds or replaces a reason why the process is not ready. SetReady takes back the reason with the
  // same key. Lag is not a reason: a process that lags behind is ready.
  void SetNotReady(const std::string& key, const std::string& reason);
  void SetReady(const std::string& key);
  // Marks the process as unhealthy for good: a shard was stopped by an error. The first reason
  // stays.
  void SetUnhealthy(const std::string& reason);
  void SetStopping();

  // A recent problem. The last ten are kept, the newest first. A message holds no id, subject or
  // payload.
  struct Trouble {
    std::int64_t time_ms;
    std::string message;
  };
  void AddTrouble(Trouble trouble);
  std::vector<Trouble> troubles() const;

  // The reasons why the process is not ready; empty if it is ready. A process that stops or is
  // unhealthy is not ready.
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
