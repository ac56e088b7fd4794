// Mode rewind, two worlds: a shard learns a random stream, and a second one learns the same stream
// in which forgotten and expired events had other contents. From the record on at which they were
// forgotten or expired, everything that the two shards release must be equal, bit for bit.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/run/live_probe.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "engine/base/archive.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/fakes.h"
#include "tests/support/proof_random.h"

namespace lethe::proof {
namespace {

// Which record each event came with, and which events were forgotten.
class RecordingProbe final : public Probe {
 public:
  explicit RecordingProbe(const Plan& plan) : live_(plan) {}

  void OnLearn(ShardId shard, const LearnedStep& step) override {
    record_of_.push_back(now_);
    live_.OnLearn(shard, step);
  }
  void OnEffective(ShardId shard, std::span<const Target> batch,
                   const Forgetting& forgetting) override {
    for (const Target& target : batch) {
      forgotten_.insert(record_of_[static_cast<std::size_t>(target.index.value)]);
    }
    live_.OnEffective(shard, batch, forgetting);
  }
  void OnExpired(ShardId shard) override { live_.OnExpired(shard); }

  void At(std::int64_t record) { now_ = record; }
  // The records whose events no model may depend on any more.
  std::set<std::int64_t> Gone(EventIndex anchor) const {
    std::set<std::int64_t> gone = forgotten_;
    gone.insert(record_of_.begin(), record_of_.begin() + anchor.value);
    return gone;
  }
  const LiveProbe& live() const { return live_; }

 private:
  LiveProbe live_;
  std::int64_t now_ = 0;
  std::vector<std::int64_t> record_of_;  // by index
  std::set<std::int64_t> forgotten_;
};

// One world: a shard with its ports.
class World {
 public:
  explicit World(const Plan& plan)
      : probe_(plan),
        shard_(plan, ShardIdentity::New({0}, random_),
               {state_, payloads_, sink_, probe_, hasher_, random_}),
        feeder_(shard_, hooks_) {}

  void Feed(const Record& record) {
    probe_.At(record.offset.value);
    ASSERT_TRUE(feeder_.Process(record).ok());
    if (!shard_.has_news()) return;
    ASSERT_TRUE(feeder_.Commit().ok());
  }

  // Everything that may be published after this record, as bytes.
  std::string Released() const {
    ShardReport report = shard_.Report();
    probe_.live().AddTo(report);
    SavingArchive archive;
    archive(report.counters, report.model_version, report.clean_from, report.weights,
            report.retained_events, report.half_life, report.last_sigma, report.regret_bound,
            report.loss_total, report.loss_events, report.pending_requests, report.chain_entries);
    return archive.Take() + report.chain_head;
  }
  std::string Chain() const {
    std::string chain;
    for (const auto& entry : sink_.published) chain += entry.bytes + '\n';
    return chain;
  }
  std::set<std::int64_t> Gone() const { return probe_.Gone(shard_.unlearner().anchor()); }

 private:
  testing::FaultyState state_;
  MemoryPayloads payloads_;
  testing::RecordingSink sink_;
  SodiumHasher hasher_;
  SeededRandom random_{7};
  testing::RecordingHooks hooks_;
  RecordingProbe probe_;
  Shard shard_;
  RecordFeeder feeder_;
};

Spec RandomSpec(Dice& dice) {
  Spec spec;
  spec.model.dimension = 2;
  spec.model.radius = dice.LogUniform(0.2, 10);
  spec.model.bias = dice.Chance(0.3);
  if (dice.Chance(0.4)) spec.model.hash_bits = 1 + dice.Below(6);
  spec.learning.schedule = static_cast<ScheduleKind>(dice.Below(5));
  spec.learning.eta = dice.LogUniform(1e-2, 0.5);
  spec.forgetting.mode = "rewind";
  spec.forgetting.retention.events = 4 + 2 * dice.Below(30);
  spec.noise.source = NoiseKind::kSeeded;
  if (dice.Chance(0.5)) spec.forgetting.deadline.events = dice.Below(40);
  if (dice.Chance(0.3)) {
    spec.forgetting.batch_window.events = dice.Below(spec.forgetting.retention.events / 2 + 1);
  }
  return spec;
}

void SetContent(Dice& dice, const Spec& spec, Event& event) {
  // Two names may share a weight, and the sum must be accepted as well.
  const Vector x = dice.Direction(2, 0.7 * dice.Uniform());
  event.x.clear();
  event.named.clear();
  if (spec.model.hash_bits) {
    event.named = {{"a" + std::to_string(dice.Below(9)), x[0]}, {"b", x[1]}};
  } else {
    event.x = {x[0], x[1]};
  }
  event.y = dice.Chance(0.5) ? 1 : -1;
}

// Learns, updates and deletes in any order: of ids that came or come later, of subjects, and of
// events that have expired.
std::vector<Record> RandomStream(Dice& dice, const Spec& spec) {
  std::vector<Record> records;
  const std::int64_t size = 10 + dice.Below(4 * spec.forgetting.retention.events);
  const std::int64_t names = 2 + dice.Below(size);
  const double deletes = dice.LogUniform(0.01, 0.4), updates = dice.Chance(0.5) ? 0 : 0.1;
  for (std::int64_t i = 0; i < size; ++i) {
    Record record;
    record.offset = {i};
    record.timestamp = {1000 * i};
    Event& event = record.event;
    if (dice.Chance(0.8)) event.id = "e" + std::to_string(dice.Below(names));
    if (dice.Chance(0.5)) event.subject = "s" + std::to_string(dice.Below(8));
    event.kind = dice.Chance(deletes) ? EventKind::kDelete
                 : event.id && dice.Chance(updates) ? EventKind::kUpdate : EventKind::kLearn;
    if (event.kind != EventKind::kDelete) {
      SetContent(dice, spec, event);
    } else if (!event.id && !event.subject) {
      event.subject = "s0";
    }
    records.push_back(std::move(record));
  }
  return records;
}

void CompareWorlds(std::uint64_t seed, std::int64_t& changed) {
  Dice dice(seed);
  const Spec spec = RandomSpec(dice);
  const auto plan = Plan::Make(spec);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  std::vector<Record> records = RandomStream(dice, spec);
  const std::size_t cut = static_cast<std::size_t>(dice.Below(static_cast<std::int64_t>(records.size())));
  World real(plan.value());
  std::vector<std::string> released;
  std::set<std::int64_t> gone;
  for (std::size_t i = 0; i < records.size(); ++i) {
    real.Feed(records[i]);
    if (i == cut) gone = real.Gone();
    released.push_back(real.Released());
  }
  const double share = dice.Chance(0.5) ? 1 : dice.Uniform();
  for (const std::int64_t record : gone) {
    if (!dice.Chance(share)) continue;
    SetContent(dice, spec, records[static_cast<std::size_t>(record)].event);
    ++changed;
  }
  World other(plan.value());
  for (std::size_t i = 0; i < records.size(); ++i) {
    other.Feed(records[i]);
    if (i < cut) continue;
    ASSERT_EQ(other.Released(), released[i]) << "seed " << seed << ", record " << i << " of "
                                             << records.size() << ", equal from " << cut;
  }
  ASSERT_EQ(other.Chain(), real.Chain()) << "seed " << seed;
}

TEST(RewindWorlds, WhatIsForgottenOrExpiredChangesNothingThatIsReleased) {
  std::int64_t changed = 0;
  for (std::uint64_t seed = 1; seed <= 5000 && !HasFatalFailure(); ++seed) {
    CompareWorlds(seed, changed);
  }
  EXPECT_GT(changed, 30'000);
}

}  // namespace
}  // namespace lethe::proof
