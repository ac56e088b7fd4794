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

// The watch over the topics while the daemon runs. It repeats what StartupFence checks at the
// start: added partitions, a source topic that was cut back or created again, another process that
// has taken over a shard. It has a connection and a thread of its own, and asks a few questions
// every two seconds, about one shard at a time. When it finds something, it makes every read of the
// consumer fail: records that were read and not committed stay uncommitted, and the process ends.
//
// All functions are for the thread that made it. Borrows the producer and the consumer. Brokers
// that do not answer are no finding.
class TopicWatch {
 public:
  // Does not wait for a broker. Without a receipts topic `producer` may be null.
  static Result<std::unique_ptr<TopicWatch>> Open(const Config& config,
                                                  const KafkaSettings& settings,
                                                  KafkaProducer* producer, std::int32_t partitions);
  ~TopicWatch() { Stop(); }
  TopicWatch(const TopicWatch&) = delete;
  TopicWatch& operator=(const TopicWatch&) = delete;

  // Null without a receipts topic, because then nothing tells of other processes. To be used before
  // Start only.
  Ownership* ownership() { return ownership_.get(); }

  struct Partition {
    std::int32_t number = 0;
    std::optional<ReadPlace> known;  // a record that was read before
  };
  // Starts the thread. The consumer must outlive it.
  void Start(KafkaConsumer& consumer, std::vector<Partition> partitions);
  // Ends the thread. May be called several times.
  void Stop();

 private:
  TopicWatch(const Config& config, std::unique_ptr<KafkaCluster> cluster, KafkaProducer* producer,
             std::int32_t partitions);

  void Run();
  // Sleeps. False when the thread is to end.
  bool Pause(std::chrono::milliseconds time);
  bool IsStopping();
  // kInput for a finding. Any other error means that no broker has answered.
  Status LookAtSource();
  Status LookAtRecords(Partition& partition);

  const std::string topic_;
  const std::int32_t count_;  // partitions of the topic at the start
  const std::unique_ptr<KafkaCluster> cluster_;
  std::unique_ptr<Ownership> ownership_;
  KafkaConsumer* consumer_ = nullptr;
  std::vector<Partition> partitions_;  // the partitions that this process reads
  std::size_t turn_ = 0;               // the number of the next look, which chooses the partition

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace lethe
