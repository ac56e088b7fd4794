// A shard over a durable state is killed between any two writes, thousands of times: what comes out
// is the run that was never killed, bit for bit.

#include <iostream>

#include <gtest/gtest.h>

#include "app/replay/recorded_chain.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "engine/spec/config_hash.h"
#include "state/memory_state.h"
#include "tests/support/crash_simulation.h"
#include "tests/support/passive_spec.h"

namespace lethe::crash_test {
namespace {

using testing::CommitTiming;
using testing::CrashSimulation;
using testing::RandomRecords;

constexpr std::size_t kRecords = 300;
constexpr Part kAllParts[] = {Part::kConfig, Part::kShard,         Part::kRun,
                              Part::kMarks,  Part::kAdaptiveSteps, Part::kCalibration,
                              Part::kMode,   Part::kWindow,        Part::kSeenIds};

struct Case {
  const char* name;
  void (*change)(Spec& spec);
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

void Erm(Spec& spec, const char* mode, Calibration calibration) {
  spec.forgetting.mode = mode;
  spec.forgetting.calibration = calibration;
  spec.forgetting.erm = {.warmup = 20, .refit_every = 30, .steps = 3};
}

constexpr Case kCases[] = {
    {"passive", [](Spec&) {}},
    {"passive_bounded",
     [](Spec& s) {
       s.model.lambda = 0.5;
       s.learning.eta = 0.8;
       s.forgetting.retention.events = 768;
     }},
    {"passive_bounded_shrunk",
     [](Spec& s) {
       s.model.lambda = 0.5;
       s.learning.eta = 0.8;
       s.forgetting.retention.events = 768;
       s.forgetting.guarantee = Guarantee::kPerRequest;
       s.forgetting.shrink.norm = 0.1;
     }},
    {"per_request", [](Spec& s) { s.forgetting.guarantee = Guarantee::kPerRequest; }},
    {"zeta", [](Spec& s) { s.forgetting.split = Split::kZeta; }},
    {"adaptive", [](Spec& s) { s.learning.schedule = ScheduleKind::kAdaptive; }},
    {"deadline_events",
     [](Spec& s) { s.forgetting.deadline = {.events = 20, .event_time_ms = 0}; }},
    {"deadline_time",
     [](Spec& s) { s.forgetting.deadline = {.events = 0, .event_time_ms = 20'000}; }},
    {"window", [](Spec& s) { s.forgetting.batch_window = {.events = 15, .event_time_ms = 0}; }},
    {"second_order", [](Spec& s) { s.forgetting.mode = "active"; }},
    {"second_order_window",
     [](Spec& s) {
       s.forgetting.mode = "active";
       s.forgetting.active.window = 40;
     }},
    {"active_ledger",
     [](Spec& s) {
       s.forgetting.mode = "active";
       s.forgetting.active.variant = ActiveVariant::kLedger;
       s.forgetting.active.steps = 3;
     }},
    {"retrain", [](Spec& s) { s.forgetting.mode = "retrain"; }},
    {"rewind",
     [](Spec& s) {
       s.forgetting.mode = "rewind";
       s.forgetting.retention.events = 60;
     }},
    {"rewind_waiting",
     [](Spec& s) {
       s.forgetting.mode = "rewind";
       s.forgetting.retention.events = 150;
       s.forgetting.deadline = {.events = 20, .event_time_ms = 0};
       s.learning.schedule = ScheduleKind::kAdaptive;
     }},
    {"rewind_in_time",
     [](Spec& s) {
       s.forgetting.mode = "rewind";
       s.forgetting.retention.time_ms = 60'000;
       s.forgetting.deadline = {.events = 0, .event_time_ms = 20'000};
     }},
    {"restart", [](Spec& s) { s.forgetting.mode = "restart"; }},
    {"d2d_strong", [](Spec& s) { Erm(s, "d2d_strong", Calibration::kLedger); }},
    {"d2d_strong_paper", [](Spec& s) { Erm(s, "d2d_strong", Calibration::kPaper); }},
    {"d2d_strong_recursion", [](Spec& s) { Erm(s, "d2d_strong", Calibration::kRecursion); }},
    {"d2d_perfect",
     [](Spec& s) {
       Erm(s, "d2d_perfect", Calibration::kLedger);
       s.forgetting.deadline.events = 10;
     }},
    {"d2d_perfect_paper",
     [](Spec& s) {
       Erm(s, "d2d_perfect", Calibration::kPaper);
       s.model.lambda = 1;  // then a few steps suffice
       s.forgetting.erm.steps = 20;
     }},
    {"d2d_regularised",
     [](Spec& s) {
       Erm(s, "d2d_regularised", Calibration::kLedger);
       s.model.lambda = 1e-6;
     }},
    {"d2d_distributed", [](Spec& s) { Erm(s, "d2d_distributed", Calibration::kRecursion); }},
    {"fats",
     [](Spec& s) {
       s.forgetting.mode = "fats";
       s.forgetting.fats = {.client = FatsClient::kSubject,
                            .clients = 3,
                            .draws = 2,
                            .local_steps = 2,
                            .batch = 2,
                            .round_every = 10};
     }},
    {"certified_removal", [](Spec& s) { Erm(s, "certified_removal", Calibration::kLedger); }},
    {"certified_removal_squared",
     [](Spec& s) {
       Erm(s, "certified_removal", Calibration::kLedger);
       s.model.loss = LossKind::kSquared;
     }},
    {"noisy", [](Spec& s) { s.forgetting.mode = "noisy"; }},
    {"noisy_adaptive",
     [](Spec& s) {
       s.forgetting.mode = "noisy";
       s.forgetting.guarantee = Guarantee::kPerRequest;
       s.forgetting.noisy.requests = Requests::kAdaptive;
     }},
    {"noisy_gd", [](Spec& s) { Erm(s, "noisy_gd", Calibration::kLedger); }},
    {"online_dp", [](Spec& s) { s.forgetting.mode = "online_dp"; }},
    {"active_algorithm_3",
     [](Spec& s) {
       s.forgetting.mode = "active";
       s.forgetting.active.variant = ActiveVariant::kAlgorithm3;
       s.model.lambda = 1;  // then a few steps suffice
     }},
    {"none", [](Spec& s) { s.forgetting.mode = "none"; }},
};

class StateCrashTest : public ::testing::TestWithParam<Case> {
 protected:
  StateCrashTest() {
    spec_.model.dimension = 5;
    spec_.noise.source = NoiseKind::kSeeded;
    GetParam().change(spec_);
    auto plan = Plan::Make(spec_);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    plan_.emplace(plan.value());
  }

  CrashSimulation World() { return {*plan_, random_, hasher_}; }

  void ExpectSame(const CrashSimulation& expected, const CrashSimulation& world) {
    EXPECT_EQ(expected.topic(), world.topic());
    for (const Part part : kAllParts) {
      EXPECT_EQ(expected.Part(part), world.Part(part)) << "part " << static_cast<int>(part);
    }
  }

  Spec spec_ = PassiveSpec();
  std::optional<Plan> plan_;
  SeededRandom random_{7};
  SodiumHasher hasher_;
};

TEST_P(StateCrashTest, EveryCrashIsInvisible) {
  std::size_t deaths = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto records = RandomRecords(seed, kRecords, 5);
    CrashSimulation quiet = World();
    quiet.Run(records, {.every = 50, .news_waits = 1}, CrashSimulation::kNever, false);
    ASSERT_GT(quiet.topic().size(), 20u);
    // Dying after every `every` writes lets each life get a little further: 2 is the least that
    // gets anywhere.
    for (const std::size_t every : {2, 3, 5, 7, 23}) {
      for (const bool after : {false, true}) {
        CrashSimulation world = World();
        deaths += world.Run(records, {.every = 1 + seed * 13, .news_waits = seed}, every, after);
        ExpectSame(quiet, world);
        if (HasFailure()) {
          FAIL() << "seed " << seed << ", a crash every " << every << " writes, "
                 << (after ? "after" : "before") << " one";
        }
      }
    }
  }
  RecordProperty("deaths", static_cast<int>(deaths));
  std::cout << deaths << " crashes\n";
  EXPECT_GT(deaths, 500u);
}

// What the state in memory makes of the records, the one that a replay has.
std::vector<std::string> ChainInMemory(const Plan& plan, const std::vector<Record>& records,
                                       RandomSource& random, const Hasher& hasher) {
  MemoryState state;
  MemoryPayloads payloads;
  testing::RecordingSink sink;
  Probe probe;
  Shard shard(plan, ShardIdentity::New({0}, random),
              {state, payloads, sink, probe, hasher, random});
  CommitSteps no_hooks;
  RecordFeeder runner(shard, no_hooks);
  for (const Record& record : records) EXPECT_TRUE(runner.Process(record).ok());
  EXPECT_TRUE(runner.Commit().ok());
  std::vector<std::string> chain;
  for (const testing::Published& entry : sink.published) chain.push_back(entry.bytes);
  return chain;
}

// Many blocks of events and payloads, and refusals that expire.
TEST_P(StateCrashTest, ALongRunEqualsTheOneInMemory) {
  const auto records = RandomRecords(5, 10'000, 5);
  spec_.refuse_late_for_ms = 100'000;
  plan_.emplace(Plan::Make(spec_).value());
  CrashSimulation world = World();
  const std::size_t deaths = world.Run(records, {.every = 300, .news_waits = 3}, 211, true);
  EXPECT_GT(deaths, 5u);
  EXPECT_EQ(ChainInMemory(*plan_, records, random_, hasher_), world.topic());
}

class RewindCrashTest : public StateCrashTest {};

// With grouping the clock decides, and after a crash it decides otherwise. A run that was never
// killed and obeys the receipts has the same state.
TEST_P(RewindCrashTest, AKilledRunWithPausesEqualsOneThatObeysItsReceipts) {
  std::size_t deaths = 0;
  std::size_t grouped = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto records = RandomRecords(seed, kRecords, 5);
    CrashSimulation world = World();
    world.SetPace({.pause = 5,
                   .longest_ns = static_cast<std::int64_t>(seed % 3) * 1'000'000,
                   .slowness = static_cast<std::int64_t>(2000 * (1 + seed % 4))});
    deaths += world.Run(records, {.every = 1 + seed * 5, .news_waits = 1 + seed % 2}, 2 + seed % 9,
                        seed % 2 == 0);
    std::vector<ChainEntry> entries;
    for (const std::string& bytes : world.topic()) {
      entries.push_back(ParseEntry(bytes, "the topic", hasher_).value());
      grouped += bytes.find(R"("by":"group")") != std::string::npos;
    }
    const auto recorded = RecordedChain::From(entries, "the topic", ConfigSha256(spec_, hasher_));
    ASSERT_TRUE(recorded.ok()) << recorded.status().message();
    CrashSimulation quiet = World();
    const auto decisions = recorded.value()->Of({0}, entries.front().state, true);
    ASSERT_TRUE(decisions.ok()) << decisions.status().message();
    quiet.Obey(decisions.value());
    quiet.Run(records, {.every = 50, .news_waits = 1}, CrashSimulation::kNever, false);
    ExpectSame(quiet, world);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  std::cout << deaths << " crashes, " << grouped << " receipts by group\n";
  EXPECT_GT(deaths, 50u);
  EXPECT_GT(grouped, 20u);
}

std::vector<Case> CasesThatLearnAgain() {
  std::vector<Case> cases;
  for (const Case& one : kCases) {
    Spec spec = PassiveSpec();
    one.change(spec);
    const std::string& mode = spec.forgetting.mode;
    if (mode == "rewind" || mode == "retrain") cases.push_back(one);
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Modes, RewindCrashTest, ::testing::ValuesIn(CasesThatLearnAgain()),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(Modes, StateCrashTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lethe::crash_test
