#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/config/config.h"
#include "app/run/ownership.h"
#include "connectors/kafka/cluster.h"
#include "connectors/kafka/consumer.h"
#include "connectors/kafka/producer.h"
#include "connectors/kafka/settings.h"
#include "engine/base/status.h"

namespace lethe {

// Looks at the topics while the daemon runs, as the fence does at the start: partitions that were
// added, a source topic that was made anew or cut back, another process that has taken over a
// shard. It has a connection and a thread of its own, and asks a few questions every two seconds,
// about one shard at a time. On finding something it lets every read of the consumer fail: what was
// read and not committed stays uncommitted, and the process ends.
class TopicWatch {
 public:
  // Does not wait for a broker. Without a receipts topic `producer` is not needed.
  static Result<std::unique_ptr<TopicWatch>> Open(const Config& config,
                                                  const KafkaSettings& settings,
                                                  KafkaProducer* producer, std::int32_t partitions);
  ~TopicWatch() { Stop(); }
  TopicWatch(const TopicWatch&) = delete;
  TopicWatch& operator=(const TopicWatch&) = delete;

  // Null without a receipts topic: then nothing can tell of another process. To be used before
  // Start.
  Ownership* ownership() { return ownership_.get(); }

  struct Partition {
    std::int32_t number = 0;
    std::optional<ReadPlace> known;  // a record that was read before
  };
  // The consumer outlives the watching.
  void Start(KafkaConsumer& consumer, std::vector<Partition> partitions);
  void Stop();

 private:
  TopicWatch(const Config& config, std::unique_ptr<KafkaCluster> cluster, KafkaProducer* producer,
             std::int32_t partitions);

  void Run();
  // False when the watching is to end.
  bool Pause(std::chrono::milliseconds time);
  bool IsStopping();
  // kInput for what was found; all else means that nothing is known now.
  Status LookAtSource();
  Status LookAtRecords(Partition& partition);

  const std::string topic_;
  const std::int32_t count_;  // of partitions, at the start
  const std::unique_ptr<KafkaCluster> cluster_;
  std::unique_ptr<Ownership> ownership_;
  KafkaConsumer* consumer_ = nullptr;
  std::vector<Partition> partitions_;  // that are read here
  std::size_t turn_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace lethe
