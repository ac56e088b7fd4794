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

// A thread that asks the partition leaders for the last stable offsets, from which the lag follows.
// It also calls rd_kafka_poll, which runs the error and statistics callbacks, and decides whether a
// topic that seems to be missing is really gone.
//
// It polls every second. librdkafka 2.0.2 sleeps for a second when a fetch queue is full, and any
// request wakes it. So the poller also asks as soon as a full queue is drained and, in case it
// misses that moment, every 20 ms for a second after a queue was full.
//
// NoteFull, AskNow and End are thread-safe; Start and Stop belong to the owner. Borrows the handle,
// the topic and the readers, which must outlive it. An unanswered request is not an error: End
// becomes unknown.
class WatermarkPoller {
 public:
  static constexpr std::chrono::milliseconds kSlow{1000};
  static constexpr std::chrono::milliseconds kFast{20};
  // An answer older than this counts as unknown.
  static constexpr std::chrono::milliseconds kFresh{5000};

  WatermarkPoller(Handle& handle, rd_kafka_topic_s* topic, std::string topic_name,
                  std::vector<PartitionReader*> readers);
  ~WatermarkPoller();
  WatermarkPoller(const WatermarkPoller&) = delete;
  WatermarkPoller& operator=(const WatermarkPoller&) = delete;

  void Start();
  // Ends the thread. Waits for a request under way, which takes up to a second.
  void Stop();
  // A fetch queue is full now.
  void NoteFull();
  // A fetch queue that was full has room again.
  void AskNow();
  // The last stable offset of the partition of reader i, or -1 when it is unknown.
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
  std::vector<std::atomic<Clock::time_point>> answered_;  // the time of the answer in ends_
  // Used by the thread only.
  std::vector<int> answers_without_;  // successive answers in which the partition was missing
  bool away_ = false;                 // the last request was not answered

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  Clock::time_point full_until_{};
  bool is_drained_ = false;
  std::thread thread_;
};

}  // namespace lethe::kafka
