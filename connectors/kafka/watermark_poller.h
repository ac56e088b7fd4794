#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "connectors/kafka/partition_reader.h"

namespace lethe::kafka {

// Asks the leaders every second where the partitions end: that is the lag. A request also wakes
// librdkafka 2.0.2, which sleeps for a second when a queue is full: so it asks when one is drained,
// and, lest that is missed, every 20 ms while one was full in the last second. Also serves
// librdkafka's error callback, and finds out whether a topic that seems to be missing is really
// gone.
class WatermarkPoller {
 public:
  static constexpr std::chrono::milliseconds kSlow{1000};
  static constexpr std::chrono::milliseconds kFast{20};
  // An end that is older than this is not known any more.
  static constexpr std::chrono::milliseconds kFresh{5000};

  WatermarkPoller(Handle& handle, rd_kafka_topic_s* topic, std::string topic_name,
                  std::vector<PartitionReader*> readers);
  ~WatermarkPoller();
  WatermarkPoller(const WatermarkPoller&) = delete;
  WatermarkPoller& operator=(const WatermarkPoller&) = delete;

  void Start();
  void Stop();
  // A queue is full now. From any thread.
  void NoteFull();
  // One that was full has room. From any thread.
  void AskNow();
  // The last stable offset of the i-th reader's partition; -1 when it is not known.
  std::int64_t End(std::size_t i) const;

 private:
  using Clock = std::chrono::steady_clock;

  void Run();
  void AskEnds();
  void LookForMissing();

  Handle& handle_;
  rd_kafka_topic_s* const topic_;
  const std::string topic_name_;
  const std::vector<PartitionReader*> readers_;
  std::vector<std::atomic<std::int64_t>> ends_;
  std::vector<std::atomic<Clock::time_point>> answered_;  // when the ends were as in ends_
  std::vector<int> answers_without_;  // successive ones in which the partition was missing
  bool away_ = false;                 // no answer the last time

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  Clock::time_point full_until_{};
  bool is_drained_ = false;
  std::thread thread_;
};

}  // namespace lethe::kafka
