// Mode rewind, two worlds, with the pauses and copies of a live run: a shard learns a random stream
// by a clock, and a second one learns the same stream in which forgotten and expired events had
// other contents. From the record on at which they were forgotten or expired, everything that the
// two shards release must be equal, bit for bit.
#include <algorithm>
#include <iostream>
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
#include "tests/support/passive_spec.h"
#include "tests/support/proof_random.h"
#include "tests/support/proof_script.h"

namespace lethe::proof::rewind_pause_test {
namespace {

enum class PlantedLoss { kNone, kGoesOnAtADeletion, kGoesOnAtASlide };

// Which record each event came with, and which events were forgotten. A planted error keeps a sum
// of losses that should begin anew.
class RecordingProbe final : public Probe {
 public:
  RecordingProbe(const Plan& plan, PlantedLoss planted) : live_(plan), planted_(planted) {}

  void OnLearn(ShardId shard, const LearnedStep& step) override {
    record_of_.push_back(now_);
    live_.OnLearn(shard, step);
  }
  void OnEffective(ShardId shard, std::span<const Target> batch,
                   const Forgetting& forgetting) override {
    for (const Target& target : batch) {
      forgotten_.insert(record_of_[static_cast<std::size_t>(target.index.value)]);
    }
    if (planted_ != PlantedLoss::kGoesOnAtADeletion) live_.OnEffective(shard, batch, forgetting);
  }
  void OnExpired(ShardId shard) override {
    if (planted_ != PlantedLoss::kGoesOnAtASlide) live_.OnExpired(shard);
  }

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
  PlantedLoss planted_;
  std::int64_t now_ = 0;
  std::vector<std::int64_t> record_of_;  // by index
  std::set<std::int64_t> forgotten_;
};

// One world: a shard with its ports.
class World {
 public:
  explicit World(const Plan& plan, PlantedLoss planted = PlantedLoss::kNone)
      : probe_(plan, planted),
        shard_(plan, ShardIdentity::New({0}, random_),
               {state_, payloads_, sink_, probe_, hasher_, random_}),
        feeder_(shard_, hooks_) {}

  void SetPace(const RewindPolicy& pace) { shard_.SetPace(pace); }
  // Takes a record at this time of the clock, which then decides some times more.
  void Feed(const Record& record, std::int64_t now_ns = 0, int ticks = 0) {
    probe_.At(record.offset.value);
    shard_.SetTime(now_ns);
    ASSERT_TRUE(feeder_.Process(record).ok());
    for (; ticks > 0; --ticks) {
      now_ns += 1'000'000;
      shard_.SetTime(now_ns);
      ASSERT_TRUE(feeder_.ServeByTimer({{now_ns / 1'000'000}, now_ns / 1'000'000}, false).ok());
    }
    if (!shard_.has_news()) return;
    ASSERT_TRUE(feeder_.Commit().ok());
  }
  bool HasWaiting() const { return shard_.waiting() > 0; }
  Vector Model() const { return shard_.unlearner().model(); }

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
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  spec.model.radius = dice.LogUniform(0.2, 10);
  spec.model.bias = dice.Chance(0.3);
  if (dice.Chance(0.4)) spec.model.hash_bits = 1 + dice.Below(6);
  spec.learning.schedule = static_cast<ScheduleKind>(dice.Below(5));
  SetEta(dice.LogUniform(1e-2, 0.5), spec.learning);
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
    event.kind = dice.Chance(deletes)               ? EventKind::kDelete
                 : event.id && dice.Chance(updates) ? EventKind::kUpdate
                                                    : EventKind::kLearn;
    if (event.kind != EventKind::kDelete) {
      SetContent(dice, spec, event);
    } else if (!event.id && !event.subject) {
      event.subject = "s0";
    }
    records.push_back(std::move(record));
  }
  return records;
}

// The clock of a world: when each record comes, and how often the clock decides after it. Rewinds
// take as long as those of large windows, so that there are pauses and copies.
struct Clockwork {
  Clockwork(std::uint64_t seed, std::size_t records) {
    Dice dice(~seed);
    if (dice.Chance(0.2)) return;
    pace = RewindPolicy::Live();
    pace.slowness = static_cast<std::int64_t>(dice.LogUniform(100, 1e7));
    pace.longest_ns = static_cast<std::int64_t>(dice.LogUniform(1e4, 1e8));
    const double between = dice.LogUniform(1e4, 1e8);
    const double ticking = dice.Uniform();
    std::int64_t now = 0;
    for (std::size_t i = 0; i < records; ++i) {
      now += static_cast<std::int64_t>(2 * between * dice.Uniform());
      times.push_back(now);
      ticks.push_back(dice.Chance(ticking) ? static_cast<int>(1 + dice.Below(3)) : 0);
    }
  }
  void Feed(World& world, const Record& record, std::size_t i) const {
    times.empty() ? world.Feed(record) : world.Feed(record, times[i], ticks[i]);
  }

  RewindPolicy pace;
  std::vector<std::int64_t> times;
  std::vector<int> ticks;
};

std::int64_t Count(const std::string& text, const std::string& part) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

struct Seen {
  std::int64_t changed = 0;  // events with other contents
  std::int64_t grouped = 0;  // receipts of the real worlds
  std::int64_t same = 0;     // models that were compared with those of a world without a clock
};

void CompareWorlds(std::uint64_t seed, PlantedLoss planted, Seen& seen, std::string& difference) {
  Dice dice(seed);
  const Spec spec = RandomSpec(dice);
  const auto plan = Plan::Make(spec);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  std::vector<Record> records = RandomStream(dice, spec);
  const std::size_t cut =
      static_cast<std::size_t>(dice.Below(static_cast<std::int64_t>(records.size())));
  const Clockwork clockwork(seed, records.size());
  World real(plan.value(), planted);
  real.SetPace(clockwork.pace);
  World prompt(plan.value());
  std::vector<std::string> released;
  std::set<std::int64_t> gone;
  for (std::size_t i = 0; i < records.size(); ++i) {
    clockwork.Feed(real, records[i], i);
    prompt.Feed(records[i]);
    // Once the same requests are effective, the model is the same.
    if (!real.HasWaiting() && !prompt.HasWaiting()) {
      ASSERT_EQ(real.Model(), prompt.Model()) << "seed " << seed << ", record " << i;
      ++seen.same;
    }
    if (i == cut) gone = real.Gone();
    released.push_back(real.Released());
  }
  const double share = dice.Chance(0.5) ? 1 : dice.Uniform();
  for (const std::int64_t record : gone) {
    if (!dice.Chance(share)) continue;
    SetContent(dice, spec, records[static_cast<std::size_t>(record)].event);
    ++seen.changed;
  }
  World other(plan.value(), planted);
  other.SetPace(clockwork.pace);
  for (std::size_t i = 0; i < records.size(); ++i) {
    clockwork.Feed(other, records[i], i);
    if (i < cut || other.Released() == released[i]) continue;
    difference = "seed " + std::to_string(seed) + ", record " + std::to_string(i) + " of " +
                 std::to_string(records.size()) + ", equal from " + std::to_string(cut);
    return;
  }
  const std::string chain = real.Chain();
  if (other.Chain() != chain) difference = "seed " + std::to_string(seed) + ", the chain";
  seen.grouped += Count(chain, R"("by":"group")");
}

TEST(RewindPauses, WhatIsForgottenOrExpiredChangesNothingThatIsReleased) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 5000 && !HasFatalFailure(); ++seed) {
    std::string difference;
    CompareWorlds(seed, PlantedLoss::kNone, seen, difference);
    ASSERT_EQ(difference, "");
  }
  std::cout << seen.changed << " events with other contents, " << seen.grouped
            << " receipts by group, " << seen.same << " models as without a clock\n";
  EXPECT_GT(seen.changed, 30'000);
  EXPECT_GT(seen.grouped, 5000);
  EXPECT_GT(seen.same, 100'000);
}

TEST(RewindPauses, ALossSumThatGoesOnIsCaught) {
  for (const PlantedLoss planted :
       {PlantedLoss::kGoesOnAtADeletion, PlantedLoss::kGoesOnAtASlide}) {
    Seen seen;
    std::string difference;
    std::uint64_t seed = 0;
    while (seed < 500 && difference.empty()) CompareWorlds(++seed, planted, seen, difference);
    std::cout << (planted == PlantedLoss::kGoesOnAtASlide ? "at a slide" : "at a deletion")
              << ": caught by script " << seed << "\n";
    EXPECT_NE(difference, "");
  }
}

}  // namespace
}  // namespace lethe::proof::rewind_pause_test
