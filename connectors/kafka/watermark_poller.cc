#include "connectors/kafka/watermark_poller.h"

#include <librdkafka/rdkafka.h>

#include <utility>

#include "connectors/kafka/errors.h"

namespace lethe::kafka {

namespace {

constexpr int kTimeoutMs = 1000;
// A partition counts as gone after this many successive answers without it, a second apart.
constexpr int kAnswersWithout = 3;

bool HasPartition(const rd_kafka_metadata_topic_t& topic, std::int32_t partition) {
  if (IsMissingTopic(topic.err)) return false;
  for (int i = 0; i < topic.partition_cnt; ++i) {
    if (topic.partitions[i].id == partition) return true;
  }
  return topic.err != RD_KAFKA_RESP_ERR_NO_ERROR;  // after another error nothing is known
}

}  // namespace

WatermarkPoller::WatermarkPoller(Handle& handle, rd_kafka_topic_s* topic, std::string topic_name,
                                 std::vector<PartitionReader*> readers)
    : handle_(handle),
      topic_(topic),
      topic_name_(std::move(topic_name)),
      readers_(std::move(readers)),
      ends_(readers_.size()),
      answered_(readers_.size()),
      answers_without_(readers_.size(), 0) {
  for (auto& end : ends_) end = -1;
}

WatermarkPoller::~WatermarkPoller() { Stop(); }

void WatermarkPoller::Start() {
  thread_ = std::thread([this] { Run(); });
}

void WatermarkPoller::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void WatermarkPoller::NoteFull() {
  bool was_slow = false;
  {
    std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    was_slow = full_until_ < now;
    full_until_ = now + kSlow;
  }
  if (was_slow) changed_.notify_all();
}

void WatermarkPoller::AskNow() {
  {
    std::lock_guard lock(mutex_);
    is_drained_ = true;
  }
  changed_.notify_all();
}

std::int64_t WatermarkPoller::End(std::size_t i) const {
  return Clock::now() - answered_[i].load() <= kFresh ? ends_[i].load() : -1;
}

void WatermarkPoller::Run() {
  std::unique_lock lock(mutex_);
  auto last_look = Clock::now();
  while (!stopping_) {
    lock.unlock();
    rd_kafka_poll(handle_.get(), 0);
    AskEnds();
    if (Clock::now() - last_look >= kSlow) {
      last_look = Clock::now();
      LookForMissing();
    }
    lock.lock();
    if (full_until_ >= Clock::now()) {
      changed_.wait_for(lock, kFast, [&] { return stopping_ || is_drained_; });
    } else {
      changed_.wait_for(lock, kSlow, [&] { return stopping_ || full_until_ >= Clock::now(); });
    }
    is_drained_ = false;
  }
}

void WatermarkPoller::AskEnds() {
  std::unique_ptr<rd_kafka_topic_partition_list_t, decltype(&rd_kafka_topic_partition_list_destroy)>
      list(rd_kafka_topic_partition_list_new(static_cast<int>(readers_.size())),
           rd_kafka_topic_partition_list_destroy);
  for (const PartitionReader* reader : readers_) {
    rd_kafka_topic_partition_list_add(list.get(), topic_name_.c_str(), reader->partition())
        ->offset = RD_KAFKA_OFFSET_END;
  }
  const auto error = rd_kafka_offsets_for_times(handle_.get(), list.get(), kTimeoutMs);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    // The error callback logs the cause. Other errors, such as a missing topic, do not mean that
    // the brokers are unreachable.
    if (error == RD_KAFKA_RESP_ERR__TIMED_OUT || error == RD_KAFKA_RESP_ERR__TRANSPORT ||
        error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
      away_ = true;
    }
    return;
  }
  handle_.NoteAnswer();
  if (std::exchange(away_, false)) handle_.log().Tell("kafka: the brokers answer again");
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    const rd_kafka_topic_partition_t& answer = list->elems[i];
    if (answer.err != RD_KAFKA_RESP_ERR_NO_ERROR || answer.offset < 0) continue;
    ends_[i] = answer.offset;
    answered_[i] = Clock::now();
  }
}

void WatermarkPoller::LookForMissing() {
  bool any = false;
  for (const PartitionReader* reader : readers_) any = any || reader->seems_missing();
  if (!any) return;
  const rd_kafka_metadata_t* metadata = nullptr;
  if (rd_kafka_metadata(handle_.get(), 0, topic_, &metadata, kTimeoutMs) !=
      RD_KAFKA_RESP_ERR_NO_ERROR) {
    return;
  }
  for (std::size_t i = 0; i < readers_.size() && metadata->topic_cnt == 1; ++i) {
    PartitionReader& reader = *readers_[i];
    if (!reader.seems_missing() || HasPartition(metadata->topics[0], reader.partition())) {
      reader.NotMissing();
      answers_without_[i] = 0;
    } else if (++answers_without_[i] >= kAnswersWithout) {
      reader.Fail({ErrorCode::kInput, "Kafka: partition " + std::to_string(reader.partition()) +
                                          " of topic \"" + topic_name_ +
                                          "\" does not exist, or not any more"});
    }
  }
  rd_kafka_metadata_destroy(metadata);
}

}  // namespace lethe::kafka
