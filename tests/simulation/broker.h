#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "connectors/kafka/cluster.h"
#include "tests/simulation/clock.h"
#include "tests/simulation/dice.h"
#include "tests/simulation/script.h"

namespace lethe::simulation {

// A record of the source topic.
struct SourceRecord {
  Offset offset;
  TimeMs timestamp;
  bool is_rerouted = false;
  std::uint64_t number = 0;  // its place in the order of all records of all partitions
  Message message;
};

// A message that a process produces.
struct Outgoing {
  enum class Topic { kSource, kDeadLetters, kReceipts, kModels, kCleanFrom, kMarks };
  Topic topic = Topic::kSource;
  int shard = 0;            // the shard that sends it
  int partition = 0;        // kSource
  std::int64_t number = 0;  // kDeadLetters: the offset; kReceipts: the entry; else the version
  std::string bytes = {};
  Message message = {};  // kSource
};

// Is told of each message when the broker has it.
class ArrivalListener {
 public:
  virtual ~ArrivalListener() = default;
  virtual void OnArrival(const Outgoing& message) = 0;
};

// The simulated brokers: the source topic, and the messages that processes have sent to the topics.
// A message may arrive long before its acknowledgement, or stay on its way until its process waits
// for it. A message never overtakes an earlier one of its process and topic. When a process dies,
// its messages on their way are lost, or arrive, or arrive much later. Borrows the setup, the time
// and the listener. Not thread-safe.
class Broker {
 public:
  Broker(const Setup& setup, WorldTime& time, ArrivalListener& listener)
      : setup_(setup), time_(time), listener_(listener) {
    partitions_.resize(static_cast<std::size_t>(setup.partitions));
  }

  // Adds a record to the source topic, after a random gap in the offsets if the setup has gaps.
  void Append(int partition, const Message& message, bool is_rerouted, Dice& dice) {
    auto& records = partitions_[static_cast<std::size_t>(partition)];
    const std::int64_t gap = setup_.gaps && dice.Percent(20) ? dice.Between(1, 3) : 0;
    records.push_back({.offset = {End(partition).value + gap},
                       .timestamp = {time_.NowMs() - message.delay_ms},
                       .is_rerouted = is_rerouted,
                       .number = appended_++,
                       .message = message});
  }
  const std::vector<SourceRecord>& records(int partition) const {
    return partitions_[static_cast<std::size_t>(partition)];
  }
  Offset End(int partition) const {
    const auto& records = partitions_[static_cast<std::size_t>(partition)];
    return records.empty() ? Offset{0} : Offset{records.back().offset.value + 1};
  }

  bool is_away() const { return time_.ns < away_until_ns_; }
  void GoAway(std::int64_t ms) { away_until_ns_ = time_.ns + ms * WorldTime::kMs; }
  void ComeBack() { away_until_ns_ = 0; }

  // Takes a message of a process. It arrives at once or later, by chance; while the brokers are
  // away, it stays on its way.
  void Send(int process, Outgoing message, Dice& dice) {
    auto& waiting = on_their_way_[process];
    waiting.push_back({std::move(message), false});
    if (is_away()) return;
    const std::int64_t roll = dice.Below(100);
    if (roll < 60) Arrive(process, waiting.back().message.topic);  // without an acknowledgement
    if (roll < 30) std::erase_if(waiting, HasArrived);             // with an acknowledgement
  }
  // Every message of a process arrives and is acknowledged.
  void Flush(int process) {
    Arrive(process, std::nullopt);
    on_their_way_[process].clear();
  }
  bool IsOnItsWay(int process, int shard, Outgoing::Topic topic) const {
    const auto found = on_their_way_.find(process);
    if (found == on_their_way_.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [&](const OnItsWay& sent) {
      return !sent.has_arrived && sent.message.shard == shard && sent.message.topic == topic;
    });
  }
  void OnDeath(int process, Dice& dice) {
    auto& waiting = on_their_way_[process];
    std::erase_if(waiting, HasArrived);
    std::set<Outgoing::Topic> cut;  // topics whose remaining messages are lost
    std::erase_if(waiting, [&](const OnItsWay& sent) {
      if (dice.Percent(25)) cut.insert(sent.message.topic);
      return cut.contains(sent.message.topic);
    });
    if (dice.Percent(50)) Arrive(process, std::nullopt);
    for (OnItsWay& sent : waiting) {
      if (!sent.has_arrived) late_.push_back(std::move(sent.message));
    }
    waiting.clear();
  }
  // Messages of dead processes that were still on their way arrive.
  void ArriveLate() {
    const auto late = std::exchange(late_, {});
    for (const Outgoing& message : late) Deliver(message);
  }

 private:
  struct OnItsWay {
    Outgoing message;
    bool has_arrived = false;
  };
  static bool HasArrived(const OnItsWay& sent) { return sent.has_arrived; }

  // The messages of a process for one topic arrive, or those for all topics.
  void Arrive(int process, std::optional<Outgoing::Topic> topic) {
    for (OnItsWay& sent : on_their_way_[process]) {
      if ((topic && sent.message.topic != *topic) || std::exchange(sent.has_arrived, true)) {
        continue;
      }
      Deliver(sent.message);
    }
  }
  void Deliver(const Outgoing& message) {
    if (message.topic == Outgoing::Topic::kSource) {
      Dice none(0);
      Append(message.partition, message.message, true, none);
    }
    listener_.OnArrival(message);
  }

  const Setup& setup_;
  WorldTime& time_;
  ArrivalListener& listener_;
  std::vector<std::vector<SourceRecord>> partitions_;
  std::uint64_t appended_ = 0;
  std::int64_t away_until_ns_ = 0;
  std::map<int, std::vector<OnItsWay>> on_their_way_;
  std::vector<Outgoing> late_;
};

}  // namespace lethe::simulation
