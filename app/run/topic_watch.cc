#include "app/run/topic_watch.h"

#include <array>
#include <utility>

#include "app/run/refusals.h"
#include "app/run/startup_fence.h"
#include "connectors/system/sodium_random.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kInterval{2000};
// A broker that has just become the leader may not know everything yet, so a finding counts only if
// a second look confirms it.
constexpr milliseconds kSecondLook{500};
constexpr milliseconds kQuestion{2000};

std::string NewInstance() {
  std::array<std::uint8_t, 16> bytes{};
  SystemRandom().Fill({}, bytes);
  return ToHex(bytes.data(), bytes.size());
}

}  // namespace

TopicWatch::TopicWatch(const Config& config, std::unique_ptr<KafkaCluster> cluster,
                       KafkaProducer* producer, std::int32_t partitions)
    : topic_(config.spec.topic), count_(partitions), cluster_(std::move(cluster)) {
  if (config.publish.receipts_topic) {
    ownership_ = std::make_unique<Ownership>(config, *cluster_, *producer, NewInstance());
  }
}

Result<std::unique_ptr<TopicWatch>> TopicWatch::Open(const Config& config,
                                                     const KafkaSettings& settings,
                                                     KafkaProducer* producer,
                                                     std::int32_t partitions) {
  // No log: the other clients report the same troubles of the brokers.
  auto cluster = KafkaCluster::Open(settings, {});
  if (!cluster.ok()) return cluster.status();
  return std::unique_ptr<TopicWatch>(
      new TopicWatch(config, std::move(cluster).value(), producer, partitions));
}

void TopicWatch::Start(KafkaConsumer& consumer, std::vector<Partition> partitions) {
  consumer_ = &consumer;
  partitions_ = std::move(partitions);
  thread_ = std::thread([this] { Run(); });
}

void TopicWatch::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool TopicWatch::Pause(milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return stopping_; });
}

bool TopicWatch::IsStopping() {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void TopicWatch::Run() {
  while (Pause(kInterval)) {
    Status found = LookAtSource();
    if (found.code() == ErrorCode::kInput && Pause(kSecondLook)) found = LookAtSource();
    ++turn_;
    if (found.code() != ErrorCode::kInput && ownership_ && !IsStopping()) {
      found = ownership_->Follow([this] { return IsStopping(); });
    }
    if (found.code() != ErrorCode::kInput) continue;
    consumer_->Fail(found);
    return;
  }
}

Status TopicWatch::LookAtSource() {
  Partition& partition = partitions_[turn_ % partitions_.size()];
  const auto count = cluster_->PartitionCount(topic_, kQuestion);
  if (!count.ok()) return count.status();
  // The consumer reports a topic that is gone.
  if (count.value() && *count.value() != count_) {
    return RefusePartitions(ShardId{partition.number}, topic_, *count.value(), count_);
  }
  return IsStopping() ? Status::Ok() : LookAtRecords(partition);
}

// Compares one record that was read with the record that the topic has at its offset. The next look
// compares the newest record that was read before this one succeeded, so the known record always
// belongs to the topic that was confirmed last.
Status TopicWatch::LookAtRecords(Partition& partition) {
  // Taken before the questions: a record that is read during them may belong to another topic.
  const auto read = consumer_->ReadSoFar(partition.number);
  if (!partition.known && read) partition.known = read->first;
  if (!partition.known) return Status::Ok();
  const ShardId shard{partition.number};
  const ReadPlace last = read ? read->last : *partition.known;
  const auto range = cluster_->Range(topic_, partition.number, kQuestion);
  if (!range.ok()) return {ErrorCode::kUnavailable, range.status().message()};
  const Offset next{last.offset.value + 1};
  if (range.value().next < next) return RefuseCutTopic(shard, next, range.value().next);
  const auto there = cluster_->At(topic_, partition.number, partition.known->offset, kQuestion);
  if (!there.ok()) return {ErrorCode::kUnavailable, there.status().message()};
  if (there.value() && !IsTime(*there.value(), partition.known->timestamp)) {
    return RefuseNewTopic(shard, partition.known->offset);
  }
  partition.known = last;
  return Status::Ok();
}

}  // namespace lethe
