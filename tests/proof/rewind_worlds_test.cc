// Mode rewind, two worlds: a shard learns a random stream, and a second one learns the same stream
// in which forgotten and expired events had other contents. From the record on at which they were
// forgotten or expired, everything that the two shards release must be equal, bit for bit.
//
// Half of the windows are in event time. Their streams have pauses, timestamps from the future,
// from the past and none at all, and the machine's clock slides a window in silence. Some shards
// are saved and loaded again in between.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
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

namespace lethe::proof::rewind_worlds_test {
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

// The state in memory, which also keeps what a shard saves.
class SavedState final : public State {
 public:
  std::optional<LearnedEvent> FindId(const KeyHash& id) const override { return real_.FindId(id); }
  std::vector<LearnedEvent> FindSubject(const KeyHash& subject) const override {
    return real_.FindSubject(subject);
  }
  std::optional<Refusal> FindRefusal(const KeyHash& hash) const override {
    return real_.FindRefusal(hash);
  }
  void AddEvent(const LearnedEvent& event) override { real_.AddEvent(event); }
  void RemoveEvent(const LearnedEvent& event) override { real_.RemoveEvent(event); }
  void DropBefore(EventIndex index) override { real_.DropBefore(index); }
  void Refuse(const KeyHash& hash, const Refusal& refusal) override { real_.Refuse(hash, refusal); }
  void ExpireRefusals(TimeMs now) override { real_.ExpireRefusals(now); }
  void Append(ChainKind, std::string_view) override {}
  bool is_durable() const override { return true; }
  std::optional<std::string> Get(Part part) const override {
    const auto found = parts_.find(part);
    if (found == parts_.end()) return std::nullopt;
    return found->second;
  }
  void Put(Part part, std::string_view bytes) override { parts_[part] = bytes; }
  void Extend(Part part, std::string_view bytes) override { parts_[part] += bytes; }
  Status Commit(bool) override { return Status::Ok(); }

 private:
  MemoryState real_;
  std::map<Part, std::string> parts_;
};

// One entry of a script: a record, and what happens behind it.
struct Step {
  Record record;
  TimeMs wall;                  // when the record arrives
  std::optional<TimeMs> timer;  // the clock is read in silence
  bool is_loaded = false;       // the shard is saved and loaded
};

// When events were learned, and the anchor that follows from it, computed in the simplest way.
class Anchor {
 public:
  explicit Anchor(std::int64_t window_ms) : window_ms_(window_ms) {}

  void Slide(TimeMs now) {
    while (now != kNoTime && Began() != kNoTime && now.value - Began().value >= 2 * window_ms_) {
      const TimeMs began = Began();
      while (anchor_ < size() && At(anchor_).value < began.value + window_ms_) ++anchor_;
    }
  }
  void Learn(TimeMs now) { times_.push_back(now); }
  std::int64_t size() const { return static_cast<std::int64_t>(times_.size()); }
  EventIndex anchor() const { return {anchor_}; }

 private:
  TimeMs At(std::int64_t index) const { return times_[static_cast<std::size_t>(index)]; }
  // The first known time in the window.
  TimeMs Began() const {
    std::int64_t i = anchor_;
    while (i < size() && At(i) == kNoTime) ++i;
    return i < size() ? At(i) : kNoTime;
  }

  std::int64_t window_ms_;
  std::int64_t anchor_ = 0;
  std::vector<TimeMs> times_;
};

// One world: a shard with its ports.
class World {
 public:
  explicit World(const Plan& plan)
      : plan_(plan), probe_(plan), anchor_(plan.spec.forgetting.retention.time_ms / 2) {
    Open();
  }

  void Feed(const Record& record) {
    probe_.At(record.offset.value);
    ASSERT_TRUE(feeder_->Process(record).ok());
    Commit();
    if (!is_in_time()) return;
    const ShardReport report = shard_->Report();
    const TimeMs now = report.last_event.value_or(kNoTime);
    anchor_.Slide(now);
    if (report.counters.learned + report.counters.updates > anchor_.size()) anchor_.Learn(now);
    ASSERT_EQ(report.oldest_influence, anchor_.anchor());
  }
  // What follows a record in the script.
  void Follow(const Step& step) {
    if (step.timer) {
      ASSERT_TRUE(feeder_->ServeByTimer({*step.timer, step.timer->value}, true).ok());
      Commit();
      if (is_in_time()) anchor_.Slide({(step.timer->value + 999) / 1000 * 1000});
      if (is_in_time()) {
        ASSERT_EQ(shard_->Report().oldest_influence, anchor_.anchor());
      }
    }
    if (step.is_loaded) Load();
  }
  void Load() {
    ASSERT_TRUE(feeder_->Commit().ok());
    Open();
  }
  // Repeats what the clock decided in another world at this record, by its chain.
  void Repeat(const std::string& chain, Offset offset) {
    const std::string place = "\"offset\":" + std::to_string(offset.value) + ",\"timestamp\":";
    for (std::size_t begin = 0; begin < chain.size(); begin = chain.find('\n', begin) + 1) {
      const std::string line = chain.substr(begin, chain.find('\n', begin) - begin);
      const auto number = [&](const std::string& before) {
        return std::stoll(line.substr(line.find(before) + before.size()));
      };
      if (line.find("\"expired\",\"sha256\"") == std::string::npos ||
          line.find("\"by\":\"timer\"") == std::string::npos ||
          line.find(place) == std::string::npos) {
        continue;
      }
      ASSERT_TRUE(shard_->SlideAt({number("\"before\":")}, {number(place)}).ok());
      Commit();
      anchor_.Slide({number(place)});
      ASSERT_EQ(shard_->Report().oldest_influence, anchor_.anchor());
    }
  }
  bool ArrivalDecides(TimeMs timestamp, TimeMs arrival) const {
    return shard_->ArrivalDecides(timestamp, arrival);
  }

  // Everything that may be published after this record, as bytes.
  std::string Released() const {
    ShardReport report = shard_->Report();
    probe_.live().AddTo(report);
    SavingArchive archive;
    archive(report.counters, report.model_version, report.clean_from, report.weights,
            report.retained_events, report.half_life, report.last_sigma, report.regret_bound,
            report.loss_total, report.loss_events, report.pending_requests, report.chain_entries,
            report.oldest_influence, report.oldest_influence_time.value_or(kNoTime),
            report.expired_since, report.slides, report.lacks_clock);
    return archive.Take() + report.chain_head;
  }
  std::string Chain() const {
    std::string chain;
    for (const auto& entry : sink_.published) chain += entry.bytes + '\n';
    return chain;
  }
  std::set<std::int64_t> Gone() const { return probe_.Gone(shard_->unlearner().anchor()); }
  std::int64_t slides() const { return shard_->unlearner().slides(); }

 private:
  bool is_in_time() const { return plan_.spec.forgetting.retention.time_ms > 0; }
  void Open() {
    feeder_.reset();
    shard_ =
        std::make_unique<Shard>(plan_, ShardIdentity::New({0}, random_),
                                ShardPorts{state_, payloads_, sink_, probe_, hasher_, random_});
    const Status status = shard_->Resume();
    ASSERT_TRUE(status.ok()) << status.message();
    feeder_ = std::make_unique<RecordFeeder>(*shard_, hooks_);
  }
  void Commit() {
    if (!shard_->has_news()) return;
    ASSERT_TRUE(feeder_->Commit().ok());
  }

  Plan plan_;
  SavedState state_;
  MemoryPayloads payloads_;
  testing::RecordingSink sink_;
  SodiumHasher hasher_;
  SeededRandom random_{7};
  testing::RecordingHooks hooks_;
  RecordingProbe probe_;
  Anchor anchor_;
  std::unique_ptr<Shard> shard_;
  std::unique_ptr<RecordFeeder> feeder_;
};

Spec RandomSpec(Dice& dice) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  spec.model.radius = dice.LogUniform(0.2, 10);
  spec.model.bias = dice.Chance(0.3);
  if (dice.Chance(0.4)) spec.model.hash_bits = 1 + dice.Below(6);
  spec.learning.schedule = static_cast<ScheduleKind>(dice.Below(5));
  spec.learning.eta = dice.LogUniform(1e-2, 0.5);
  if (dice.Chance(0.5)) {
    spec.learning.update = static_cast<UpdateKind>(1 + dice.Below(3));
    spec.learning.schedule = ScheduleKind::kConstant;
  }
  if (spec.learning.schedule == ScheduleKind::kHorizon) spec.learning.eta.reset();
  spec.forgetting.mode = "rewind";
  const std::int64_t size = 4 + 2 * dice.Below(30);  // events, or seconds
  spec.forgetting.retention.events = size;
  if (dice.Chance(0.5)) spec.forgetting.retention = {.time_ms = 1000 * size};
  if (dice.Chance(0.3)) spec.refuse_late_for_ms = 1000 * (1 + dice.Below(3 * size));
  if (dice.Chance(0.5)) spec.erase_within_ms = std::int64_t{1} << 50;
  spec.noise.source = NoiseKind::kSeeded;
  if (dice.Chance(0.5)) spec.forgetting.deadline.events = dice.Below(40);
  if (dice.Chance(0.3)) {
    spec.forgetting.batch_window.events = dice.Below(size / 2 + 1);
  }
  return spec;
}

// Every map that the model takes. What comes out has norm 1 at most, so no content is refused.
void AddMaps(Dice& dice, Spec& spec) {
  FeaturesSpec& features = spec.features;
  features.scale = {.file = "scale.json",
                    .sha256 = "",
                    .is_public = true,
                    .names = {"a1", "b"},
                    .mean = {0.1, -0.2},
                    .deviation = {0.3, 0.5}};
  features.clip = dice.LogUniform(0.3, 3);
  features.normalise = NormaliseKind::kL2;
  if (dice.Chance(0.7)) features.fourier = {2 + 2 * dice.Below(6), dice.LogUniform(0.1, 10), 1};
  if (!spec.model.hash_bits) return;
  features.text = dice.Chance(0.5) ? TextFeatures::kWords : TextFeatures::kNgrams;
  features.cross = {{"b", "t"}, {"t", "t"}};
}

void SetContent(Dice& dice, const Spec& spec, Event& event) {
  // Two names may share a weight, and the sum must be accepted as well.
  const Vector x = dice.Direction(2, 0.7 * dice.Uniform());
  event.x.clear();
  event.named.clear();
  if (spec.model.hash_bits) {
    event.named = {{"a" + std::to_string(dice.Below(9)), x[0]}, {"b", x[1]}};
    event.texts.clear();
    if (spec.features.text != TextFeatures::kNone) {
      std::string text;
      for (auto words = dice.Below(5); words > 0; --words) text += " w" + std::to_string(words);
      event.texts = {{"t", text}};
    }
  } else {
    event.x = {x[0], x[1]};
  }
  event.y = dice.Chance(0.5) ? 1 : -1;
}

// Learns, updates and deletes in any order: of ids that came or come later, of subjects, and of
// events that have expired.
std::vector<Step> RandomScript(Dice& dice, const Spec& spec) {
  std::vector<Step> steps;
  const Retention& retention = spec.forgetting.retention;
  const bool in_time = retention.time_ms > 0;
  const std::int64_t span = in_time ? retention.time_ms : 1000 * retention.events;
  const std::int64_t size = 10 + dice.Below(in_time ? 150 : 4 * retention.events);
  const std::int64_t pace = in_time ? std::max<std::int64_t>(1, span / (1 + dice.Below(40))) : 1000;
  std::int64_t wall = 1'700'000'000'000;
  const std::int64_t names = 2 + dice.Below(size);
  const double deletes = dice.LogUniform(0.01, 0.4), updates = dice.Chance(0.5) ? 0 : 0.1;
  for (std::int64_t i = 0; i < size; ++i) {
    Record record;
    record.offset = {i};
    wall += dice.Chance(0.03) ? dice.Below(3 * span) : dice.Below(2 * pace);
    record.timestamp = {wall};
    if (in_time && dice.Chance(0.15)) {
      const std::int64_t others[] = {kNoTime.value, wall - dice.Below(span), 4'000'000'000'000};
      record.timestamp = {others[dice.Below(3)]};
    }
    record.is_broker_time = dice.Chance(0.1);
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
    Step step{.record = std::move(record), .wall = {wall}, .timer = {}};
    if (in_time && dice.Chance(0.1)) {
      wall += dice.Below(2 * span);
      step.timer = TimeMs{wall};
    }
    step.is_loaded = dice.Chance(0.05);
    steps.push_back(std::move(step));
  }
  return steps;
}

struct Counts {
  std::int64_t changed = 0;  // events with other contents
  std::int64_t slides = 0;
  std::int64_t slides_in_time = 0;
  std::int64_t replayed = 0;  // scripts
};

void CompareWorlds(std::uint64_t seed, bool has_maps, Counts& counts) {
  Dice dice(seed);
  Spec spec = RandomSpec(dice);
  if (has_maps) AddMaps(dice, spec);
  const auto plan = Plan::Make(spec);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  std::vector<Step> steps = RandomScript(dice, spec);
  const std::size_t cut =
      static_cast<std::size_t>(dice.Below(static_cast<std::int64_t>(steps.size())));
  World real(plan.value());
  std::vector<std::string> released;
  std::set<std::int64_t> gone;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Record& record = steps[i].record;
    if (real.ArrivalDecides(record.timestamp, steps[i].wall)) record.arrival = steps[i].wall;
    real.Feed(record);
    real.Follow(steps[i]);
    if (i == cut) gone = real.Gone();
    released.push_back(real.Released());
  }
  const double share = dice.Chance(0.5) ? 1 : dice.Uniform();
  for (const std::int64_t record : gone) {
    if (!dice.Chance(share)) continue;
    SetContent(dice, spec, steps[static_cast<std::size_t>(record)].record.event);
    ++counts.changed;
  }
  World other(plan.value());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    other.Feed(steps[i].record);
    other.Follow(steps[i]);
    if (i < cut) continue;
    ASSERT_EQ(other.Released(), released[i])
        << "seed " << seed << ", record " << i << " of " << steps.size() << ", equal from " << cut;
  }
  ASSERT_EQ(other.Chain(), real.Chain()) << "seed " << seed;
  counts.slides += real.slides();
  if (spec.forgetting.retention.time_ms == 0) return;
  counts.slides_in_time += real.slides();
  // Where the clock decided erasures too, a replay cannot repeat them.
  if (spec.erase_within_ms < std::int64_t{1} << 50) return;
  World replayed(plan.value());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    replayed.Feed(steps[i].record);
    replayed.Repeat(real.Chain(), steps[i].record.offset);
    if (i < cut) continue;
    ASSERT_EQ(replayed.Released(), released[i]) << "seed " << seed << ", replayed record " << i;
  }
  ASSERT_EQ(replayed.Chain(), real.Chain()) << "seed " << seed;
  ++counts.replayed;
}

TEST(RewindWorlds, WhatIsForgottenOrExpiredChangesNothingThatIsReleased) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 8000 && !HasFatalFailure(); ++seed) {
    CompareWorlds(seed, false, counts);
  }
  EXPECT_GT(counts.changed, 30'000);
  EXPECT_GT(counts.slides_in_time, 10'000);
  EXPECT_GT(counts.slides, counts.slides_in_time + 5'000);
  EXPECT_GT(counts.replayed, 500);
}

TEST(RewindWorlds, TheSameHoldsForEventsThatEveryMapOfFeaturesHasChanged) {
  Counts counts;
  for (std::uint64_t seed = 100'001; seed <= 101'500 && !HasFatalFailure(); ++seed) {
    CompareWorlds(seed, true, counts);
  }
  EXPECT_GT(counts.changed, 5'000);
  EXPECT_GT(counts.slides, 2'500);
  EXPECT_GT(counts.replayed, 75);
}

}  // namespace
}  // namespace lethe::proof::rewind_worlds_test
