#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/door.h"
#include "engine/event.h"
#include "engine/modes/registry.h"
#include "engine/names.h"
#include "engine/ports/hash.h"
#include "engine/ports/probe.h"
#include "engine/ports/random.h"
#include "engine/ports/sink.h"
#include "engine/ports/state.h"
#include "engine/receipt.h"

namespace lethe {

// What became of the records of a shard. Public: nothing here depends on payloads.
// learned + updates + requests + duplicates + refused_late + rejected = records.
struct Counters {
  std::int64_t records = 0;
  std::int64_t learned = 0;
  std::int64_t updates = 0;
  std::int64_t requests = 0;
  std::int64_t duplicates = 0;
  std::int64_t refused_late = 0;
  std::array<std::int64_t, static_cast<std::size_t>(Reason::kCount)> rejected{};
  std::int64_t forgotten_events = 0;
  std::int64_t effective_deletions = 0;
  double noise_variance = 0;  // of all draws together

  void Add(const Counters& other);
};

// What a shard needs from outside. Everything outlives the shard.
struct ShardPorts {
  State& state;
  Sink& sink;
  Probe& probe;
  const Hasher& hasher;
  RandomSource& random;
};

// One run over one partition: takes records in order, learns, forgets, writes receipts. The noise of a
// deletion is drawn once, and the commit is durable before anything of it is published: two noises of
// one state could be averaged away. After an error the shard must not be used again. Not
// thread-safe.
class Shard {
 public:
  Shard(const Plan& plan, ShardId id, const ShardPorts& ports);
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  // Takes the next record. A bad record is counted and changes nothing; an error means that the
  // run cannot go on.
  Status Process(const Record& record);

  // Makes everything so far durable.
  Status Commit();

  ShardId id() const { return id_; }
  const Counters& counters() const { return counters_; }
  const Unlearner& unlearner() const { return *unlearner_; }
  ModelVersion model_version() const;
  // The version since which no release carries anything of a forgotten event; 0 before any deletion.
  ModelVersion clean_from() const { return clean_from_; }

 private:
  Status Reject(const Record& record, const Rejection& rejection);
  Status Learn(const Record& record);
  Status Delete(const Record& record);
  Status Update(const Record& record);
  Status DeleteById(const Record& record);
  Status DeleteBySubject(const Record& record);

  void LearnAs(const Record& record, const KeyHash& id);
  Result<Receipt> Forget(const Record& record, std::vector<LearnedEvent> events);
  Receipt NewReceipt(const Record& record, Outcome outcome);
  Receipt NotForgotten(const Record& record, const std::optional<Refusal>& refusal);
  Refusal RefusalFor(const Receipt& receipt) const;
  Status Publish(Receipt receipt);

  Plan plan_;
  ShardId id_;
  ShardPorts ports_;
  Door door_;
  Names names_;
  std::string config_sha256_;
  std::vector<std::string> why_not_;
  std::unique_ptr<Unlearner> unlearner_;

  Counters counters_;
  ModelVersion clean_from_;
  Offset next_;
  TimeMs now_ = kNoTime;  // the running maximum of the records' timestamps
  std::uint64_t receipts_ = 0;
  std::string previous_ = kChainStart;
  Uuid state_id_{};
  Example example_;  // reused
};

}  // namespace lethe
