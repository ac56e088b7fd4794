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
#include "app/run/publisher.h"
#include "connectors/kafka/cluster.h"
#include "connectors/kafka/partitioner.h"
#include "engine/shard.h"

namespace lethe {

// Finds the shards that a deletion concerns besides the one that it came to: producers place keys
// by different rules, and a request without a key is anywhere. Each shard is known to its own
// worker only, so workers ask one another: a question goes to the mailboxes of all others, and each
// answers between two records. Nobody waits without answering, and who leaves answers too, so no
// two wait for each other. A worker that is not asked pays for the look at one atomic. Thread-safe.
class Router {
 public:
  // A request to look for.
  struct Target {
    Event request;
    std::optional<std::string> key;
    Offset offset;
    bool is_unknown = false;  // the shard that it came to does not know it yet
  };

  // Targets on their way through the mailboxes.
  class Question {
   public:
    const std::vector<Target>& targets() const { return targets_; }
    bool is_answered() const { return open_.load() == 0; }

   private:
    friend class Router;
    struct Finding {
      std::vector<ShardId> searched;
      std::vector<ShardId> learned;
      std::vector<ShardId> may_concern;  // forgotten there, or not certain
      std::int64_t holders = 1;          // the asker, and those that know it or could not be asked
    };

    std::vector<Target> targets_;
    std::map<ShardId, Offset> ends_;  // how far each shard must have read to be certain
    std::mutex mutex_;
    std::vector<Finding> findings_;
    std::atomic<std::size_t> open_{0};
  };

  Router(const Config& config, std::int32_t partitions, KafkaCluster& cluster,
         Publisher& publisher);

  // Before the workers start: who they are, and how they are made to look at their mailboxes.
  void AddShard(ShardId shard);
  void SetWake(std::function<void()> wake) { wake_ = std::move(wake); }

  // Whether there is no other shard at all.
  bool is_alone() const { return partitions_ == 1; }

  // Whether what is promised to a person depends on how many shards held their events.
  bool counts_holders() const { return counts_holders_; }
  // How many did, once the question is answered. Shards of other processes cannot be asked.
  std::int64_t Holders(const Question& question, std::size_t target) const;

  // Whether this key belongs to another partition. Remembers if there ever was one: then the events
  // of a person may be in several shards.
  bool IsMisrouted(ShardId shard, std::optional<std::string_view> key);

  std::shared_ptr<Question> Ask(ShardId asker, std::vector<Target> targets);
  // Waits for an answer to any question, for a moment.
  void WaitABit();
  // What came out for a target, once the question is answered. It is passed on to the shards that
  // have learned it. If the shard that it came to does not know it, or keys are known to be on
  // wrong partitions, then also to those that may be concerned: what such a shard has not read yet
  // stands before the request that is passed on to it.
  Elsewhere Result(ShardId asker, const Question& question, std::size_t target, bool is_known);

  bool is_asked(ShardId shard) const { return mailboxes_.at(shard).is_asked.load(); }
  // For the worker of a shard: answers everything in its mailbox.
  void Answer(const Shard& shard);
  // The worker of a shard ends. Whatever is asked from now on, it may have.
  void Leave(ShardId shard);

  // Produces the request to other partitions, marked, so that it is not passed on again.
  Status PassOn(const Target& target, const std::vector<ShardId>& shards);

 private:
  struct Mailbox {
    std::atomic<bool> is_asked{false};
    std::mutex mutex;
    std::vector<std::shared_ptr<Question>> questions;
    bool has_left = false;
  };
  enum class Finding { kNo, kForgotten, kLearned, kUncertain };
  struct Reply {
    Finding finding = Finding::kUncertain;
    bool may_hold = true;  // has learned or forgotten something of it, as far as can be told
  };

  void Settle(Question& question, ShardId shard, const std::vector<Reply>& replies);
  std::vector<ShardId> PlacesOutside(const Target& target) const;

  const std::string topic_;
  const std::int32_t partitions_;
  const Partitioner partitioner_;
  const bool counts_holders_;
  KafkaCluster& cluster_;
  Publisher& publisher_;
  std::function<void()> wake_;
  std::map<ShardId, Mailbox> mailboxes_;
  std::atomic<bool> has_misrouted_{false};
  std::mutex answered_mutex_;
  std::condition_variable answered_;
};

}  // namespace lethe
