#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "connectors/kafka/cluster.h"
#include "connectors/kafka/partitioner.h"
#include "engine/shard/shard.h"

namespace lethe {

// A request to look for in other shards: a delete, or the old version that an update replaces.
struct RoutedRequest {
  Request request;
  std::optional<std::string> name;  // the key that producers gave the events it asks for, if known
};

// What a router needs from outside.
struct RouterPorts {
  // The first and the next offset of a partition.
  std::function<Result<OffsetRange>(ShardId)> range;
  // The next offset of each of these partitions.
  std::function<Result<std::vector<Offset>>(const std::vector<ShardId>&)> ends;
  // Produces the request to another partition, marked, so that it is not passed on again.
  std::function<Status(ShardId to, const RoutedRequest& target)> pass_on;
  std::function<bool()> is_stopping;
  // Gives other shards a moment to answer. None: the router waits for an answer, or a millisecond.
  std::function<void()> give_way = {};
};

// Finds the shards that a request concerns besides the one that it came to. One rule, always:
//
// * The shards of this process are asked. A shard answers for certain once it has read up to where
//   its partition ended when the request was met, and the request goes to it only if it has learned
//   what the request names; where nobody has, to those that have forgotten it, whose receipts name
//   the first one. Until then the question stays open, over restarts too (CrossShardLookup).
// * The shards of other processes cannot be asked. The request goes to the partitions that any
//   known partitioner gives its name, and to all of theirs where no partitioner can tell.
//
// A request is sent to a shard once, and what was passed on is never passed on again. So a request
// costs at most one message for each other partition, and normally none.
//
// Each shard is known to its own worker only, so workers ask one another: a question goes to the
// mailboxes of all others, and each answers between two records. Nobody waits without answering,
// and a worker that ends is not waited for, so no two wait for each other. A worker that is not
// asked pays for the look at two atomics. Thread-safe.
class Router {
 public:
  // Targets on their way through the mailboxes.
  class Question {
   public:
    const std::vector<RoutedRequest>& targets() const { return targets_; }
    // Every shard has said what it knows by now, or has ended.
    bool is_heard() const { return unheard_.load() == 0; }
    bool is_delivered() const { return is_delivered_; }  // for the asker alone
    // Every shard has answered for certain.
    bool is_answered() const { return open_.load() == 0; }
    // Grows when a shard says that it has learned something.
    std::uint64_t found() const { return found_.load(); }

   private:
    friend class Router;
    struct Finding {
      std::vector<ShardId> searched;  // for certain
      std::vector<ShardId> learned;
      std::vector<ShardId> forgotten;  // a delete was served there before
      std::int64_t holders = 1;        // the asker, and those that know it or could not be asked
    };

    ShardId asker_;
    std::vector<RoutedRequest> targets_;
    std::map<ShardId, Offset> ends_;  // how far each shard must have read to be certain
    bool is_delivered_ = false;
    mutable std::mutex mutex_;
    std::vector<Finding> findings_;
    std::atomic<std::size_t> unheard_{1};
    std::atomic<std::size_t> open_{1};
    std::atomic<std::uint64_t> found_{0};
  };

  Router(const Config& config, std::int32_t partitions, RouterPorts ports);

  // Before the workers start: who they are, and how they are made to look at their mailboxes.
  void AddShard(ShardId shard);
  void SetWake(std::function<void()> wake) { wake_ = std::move(wake); }

  // Whether there is no other shard at all.
  bool is_alone() const { return partitions_ == 1; }

  // Whether what is promised to a person depends on how many shards held their events.
  bool counts_holders() const { return counts_holders_; }
  // How many did, once the question is heard. Shards of other processes cannot be asked.
  std::int64_t Holders(const Question& question, std::size_t target) const;

  // Where a record stands: where its key belongs (or it has none), where another known partitioner
  // puts it, or where none does.
  enum class Placement { kRight, kOther, kUnexplained };
  Placement PlacementOf(ShardId shard, std::optional<std::string_view> key);
  // Events of a person may be on any partition: records that no known partitioner explains were
  // learned.
  void SetAnywhere() { is_anywhere_ = true; }

  std::shared_ptr<Question> Ask(ShardId asker, std::vector<RoutedRequest> targets);
  // Hands out a question, which needs a broker; without one it is tried again at the next call.
  void Deliver(const std::shared_ptr<Question>& question);
  // Waits for an answer to any question, for a moment.
  void WaitABit();
  // What came out for a target so far. `is_known`: the asker has learned it, or has forgotten it.
  LookupResult Result(const Question& question, std::size_t target, bool is_known) const;
  // Whether a question of this shard has an answer that changes something, since the last call.
  bool has_answers(ShardId asker) const { return mailboxes_.at(asker).has_answers.load(); }
  void TakeAnswers(ShardId asker) { mailboxes_.at(asker).has_answers = false; }

  // For the worker of a shard, which has processed everything before `reached`: answers what it
  // can of its mailbox.
  bool is_asked(ShardId shard, Offset reached) const {
    const Mailbox& mailbox = mailboxes_.at(shard);
    return mailbox.is_asked.load() || reached.value >= mailbox.next_end.load();
  }
  void Answer(const Shard& shard, Offset reached);
  // The worker of a shard ends. What it has not answered stays open.
  void Leave(ShardId shard);

  const RouterPorts& ports() const { return ports_; }

 private:
  struct Mailbox {
    Mailbox();

    std::atomic<bool> is_asked{false};
    std::atomic<bool> has_answers{false};
    std::atomic<std::int64_t> next_end;  // the lowest one below
    std::mutex mutex;
    std::vector<std::shared_ptr<Question>> questions;
    bool has_left = false;
    // For the worker alone: questions that cannot be answered before this offset is reached.
    std::multimap<std::int64_t, std::shared_ptr<Question>> later;
  };

  // Adds what the shard knows. Returns whether that is for certain.
  bool AnswerOne(Question& question, const Shard& shard, bool is_certain, bool is_first);
  // A shard that has ended cannot be asked, and may hold anything.
  static void HearNothing(Question& question);
  void Close(Question& question);
  std::vector<ShardId> PlacesOutside(const RoutedRequest& target, bool is_known,
                                     bool is_answered) const;

  const std::int32_t partitions_;
  const Partitioner partitioner_;
  const bool counts_holders_;
  const RouterPorts ports_;
  std::function<void()> wake_;
  std::map<ShardId, Mailbox> mailboxes_;
  std::atomic<bool> has_misrouted_{false};
  std::atomic<bool> is_anywhere_{false};
  std::mutex answered_mutex_;
  std::condition_variable answered_;
};

}  // namespace lethe
