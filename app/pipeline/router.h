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

// A request that is looked up in other shards: a delete, or the old version that an update
// replaces.
struct RoutedRequest {
  Request request;
  std::optional<std::string> name;  // the key of the events that it asks for, if known
};

// The ports of a router. All functions may be called from several threads at once.
struct RouterPorts {
  // The first and the next offset of a partition.
  std::function<Result<OffsetRange>(ShardId)> range;
  // The next offset of each of these partitions.
  std::function<Result<std::vector<Offset>>(const std::vector<ShardId>&)> ends;
  // Produces the request to another partition, marked, so that it is not passed on again.
  std::function<Status(ShardId to, const RoutedRequest& target)> pass_on;
  std::function<bool()> is_stopping;
  // Gives other shards a moment to answer. Without it, the router sleeps until an answer comes or a
  // millisecond has passed.
  std::function<void()> give_way = {};
};

// Finds the shards that a request concerns besides the one that received it. The rule:
//
// * The shards of this process are asked. A shard answers for certain once it has read up to the
//   offset where its partition ended when the question was delivered. The request goes to the
//   shards that have learned what it names. If none has, a delete goes to the shards that have
//   forgotten it, whose receipts name the first request. Until every shard has answered for
//   certain, the question stays open, over restarts too (CrossShardLookup).
// * The shards of other processes cannot be asked. The request goes to each of their partitions
//   that some known partitioner gives its name, and to all of their partitions if no partitioner
//   can tell.
//
// A request is sent to a shard once, and a request that was passed on is never passed on again. So
// a request costs at most one message for each other partition, and normally none.
//
// Only its own worker may read a shard, so workers ask one another. A question goes to the
// mailboxes of all other workers, and each worker answers between two records. A worker that waits
// for answers keeps answering, and a worker that has left is not waited for, so there is no
// deadlock. A worker that is not asked pays for two atomic loads.
//
// Thread-safe after AddShard and SetWake; functions that take a shard are for that shard's worker
// alone. Owns the mailboxes; the objects that the ports use must outlive it.
class Router {
 public:
  // A question about the requests of one batch, its targets, shared by the asker and the mailboxes.
  // The other workers write their findings under a mutex; the public functions may be called by the
  // asker at any time.
  class Question {
   public:
    const std::vector<RoutedRequest>& targets() const { return targets_; }
    // Whether every shard has said what it knows so far, or has left.
    bool is_heard() const { return unheard_.load() == 0; }
    // Whether the question is in the mailboxes.
    bool is_delivered() const { return is_delivered_; }
    // Whether every shard has answered for certain. Stays false if a shard left before it could.
    bool is_answered() const { return open_.load() == 0; }
    // Grows each time that a shard reports a target as learned.
    std::uint64_t found() const { return found_.load(); }

   private:
    friend class Router;
    struct Finding {
      std::vector<ShardId> searched;  // shards that have answered for certain
      std::vector<ShardId> learned;
      std::vector<ShardId> forgotten;  // a delete was served there before
      // The asker, shards that know the target, and shards that left before they were asked.
      std::int64_t holders = 1;
    };

    ShardId asker_;
    std::vector<RoutedRequest> targets_;
    std::map<ShardId, Offset> ends_;  // the offset that makes the answer of a shard certain
    bool is_delivered_ = false;
    mutable std::mutex mutex_;
    std::vector<Finding> findings_;
    std::atomic<std::size_t> unheard_{1};
    std::atomic<std::size_t> open_{1};
    std::atomic<std::uint64_t> found_{0};
  };

  Router(const Config& config, std::int32_t partitions, RouterPorts ports);

  // Before the workers start: names the shards of this process, and sets the function that makes
  // sleeping workers look at their mailboxes.
  void AddShard(ShardId shard);
  void SetWake(std::function<void()> wake) { wake_ = std::move(wake); }

  // Whether the topic has one partition, so that there is nobody to ask.
  bool is_alone() const { return partitions_ == 1; }

  // Whether the promise to a person depends on how many shards held their events.
  bool counts_holders() const { return counts_holders_; }
  // An upper bound on how many shards held the events of the target. The question must be heard.
  // Shards of other processes cannot be asked and are counted as holders.
  std::int64_t Holders(const Question& question, std::size_t target) const;

  // How a record's partition fits its key. kRight: the configured partitioner puts the key there,
  // or the record has no key. kOther: another known partitioner does. kUnexplained: none does.
  enum class Placement { kRight, kOther, kUnexplained };
  Placement PlacementOf(ShardId shard, std::optional<std::string_view> key);
  // From now on the events of a person may be on any partition, because records were learned that
  // no known partitioner explains.
  void SetAnywhere() { is_anywhere_ = true; }

  // Makes a question and tries to deliver it.
  std::shared_ptr<Question> Ask(ShardId asker, std::vector<RoutedRequest> targets);
  // Puts the question into the mailboxes, unless that is done. It needs a broker, which says where
  // the partitions end; if none answers, the question stays undelivered until the next call.
  void Deliver(const std::shared_ptr<Question>& question);
  // Waits for an answer to any question, for about a millisecond.
  void WaitABit();
  // The findings about a target so far. `is_known`: the asker has learned or forgotten it.
  LookupResult Result(const Question& question, std::size_t target, bool is_known) const;
  // Whether a question of this shard has an answer that changes something, since the last call.
  bool has_answers(ShardId asker) const { return mailboxes_.at(asker).has_answers.load(); }
  void TakeAnswers(ShardId asker) { mailboxes_.at(asker).has_answers = false; }

  // Whether Answer has something to do for the worker of this shard, which has processed everything
  // before `reached`.
  bool is_asked(ShardId shard, Offset reached) const {
    const Mailbox& mailbox = mailboxes_.at(shard);
    return mailbox.is_asked.load() || reached.value >= mailbox.next_end.load();
  }
  // Answers new questions in the mailbox, and older ones whose answer has become certain.
  void Answer(const Shard& shard, Offset reached);
  // The worker of this shard ends. Its unanswered questions count as heard, and stay open.
  void Leave(ShardId shard);

  const RouterPorts& ports() const { return ports_; }

 private:
  struct Mailbox {
    Mailbox();

    std::atomic<bool> is_asked{false};
    std::atomic<bool> has_answers{false};
    std::atomic<std::int64_t> next_end;  // the lowest key of `later`
    std::mutex mutex;
    std::vector<std::shared_ptr<Question>> questions;
    bool has_left = false;
    // For the worker alone: questions whose answer is certain only once this offset is reached.
    std::multimap<std::int64_t, std::shared_ptr<Question>> later;
  };

  // Adds what the shard knows to the findings. Returns whether its answer is complete for every
  // target. `is_first`: the shard has not answered this question before.
  bool AnswerOne(Question& question, const Shard& shard, bool is_certain, bool is_first);
  // Counts a shard that has left as heard. It cannot be asked, so it counts as a holder.
  static void HearNothing(Question& question);
  // One more shard has answered for certain.
  void Close(Question& question);
  // The partitions of other processes that the request has to go to.
  std::vector<ShardId> PlacesOutside(const RoutedRequest& target, bool is_found,
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
