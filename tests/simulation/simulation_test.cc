// The live loop with faults, on fixed seeds, and the mistakes that the simulation must find.

#include <fcntl.h>
#include <unistd.h>

#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/simulation/run.h"

namespace lethe::simulation::simulation_test {
namespace {

constexpr std::uint64_t kSeeds = 1000;
constexpr std::uint64_t kMostSeeds = 400;  // to find a planted defect

// The product warns of what the simulation does to it. A failed check names the seed on stdout.
class SimulationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    stderr_ = dup(STDERR_FILENO);
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDERR_FILENO);
    close(nothing);
  }
  void TearDown() override {
    dup2(stderr_, STDERR_FILENO);
    close(stderr_);
  }

  // Why a seed fails, with its smallest script; empty if it does not.
  static std::string FailureOf(std::uint64_t seed, Tally& tally) {
    const Script script = MakeScript(seed);
    const auto violation = RunScript(script, Defect::kNone, tally);
    if (!violation) return {};
    return violation->rule + ": " + violation->detail + "\n" +
           Describe(Shrink(script, Defect::kNone, *violation));
  }

 private:
  int stderr_ = -1;
};

TEST_F(SimulationTest, NoRuleIsBroken) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) ASSERT_EQ(FailureOf(seed, tally), "");
  EXPECT_GT(tally.crashes, 100);
  EXPECT_GT(tally.power_cuts, 100);
  EXPECT_GT(tally.failures, 100);
  EXPECT_GT(tally.rerouted, 1000);
  EXPECT_GT(tally.by_timer, 1000);
  EXPECT_GT(tally.by_group, 500);
  EXPECT_GT(tally.models_equal, 500);
  EXPECT_GT(tally.chains_equal, 500);
}

// A version was released, undone by a power cut, and came again with another model.
TEST_F(SimulationTest, NoVersionComesTwiceWhileARequestWaits) {
  Tally tally;
  EXPECT_EQ(FailureOf(1409, tally), "");
}

// A start published entries that were written and never synced.
TEST_F(SimulationTest, AFailedSyncIsMadeUpForBeforePublishing) {
  Tally tally;
  EXPECT_EQ(FailureOf(14, tally), "");
}

TEST_F(SimulationTest, ASeedIsTheSameRunEveryTime) {
  Tally first, second;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ASSERT_FALSE(RunScript(MakeScript(seed), Defect::kNone, first));
    ASSERT_FALSE(RunScript(MakeScript(seed), Defect::kNone, second));
  }
  EXPECT_EQ(first.simulated_ms, second.simulated_ms);
  EXPECT_EQ(first.receipts, second.receipts);
  EXPECT_EQ(first.crashes, second.crashes);
  EXPECT_EQ(first.rerouted, second.rerouted);
}

class PlantedDefectTest : public SimulationTest, public ::testing::WithParamInterface<int> {};

TEST_P(PlantedDefectTest, IsFound) {
  const auto defect = static_cast<Defect>(GetParam());
  Tally tally;
  for (std::uint64_t seed = 1; seed <= kMostSeeds; ++seed) {
    const Script script = MakeScript(seed);
    const auto violation = RunScript(script, defect, tally);
    if (!violation) continue;
    const Script smallest = Shrink(script, defect, *violation);
    std::cout << Name(defect) << ": found by seed " << seed << ", rule \"" << violation->rule
              << "\", smallest script " << smallest.ops.size() << " of " << script.ops.size()
              << " operations\n";
    EXPECT_LE(smallest.ops.size(), script.ops.size());
    return;
  }
  FAIL() << Name(defect) << " was not found";
}

INSTANTIATE_TEST_SUITE_P(All, PlantedDefectTest,
                         ::testing::Range(1, static_cast<int>(Defect::kCount)),
                         [](const auto& test) {
                           std::string name;
                           for (const char c : std::string(Name(static_cast<Defect>(test.param)))) {
                             name += c == '-' ? '_' : c;
                           }
                           return name;
                         });

}  // namespace
}  // namespace lethe::simulation::simulation_test
