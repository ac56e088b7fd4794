// Exact: with squared loss and no projection a run is linear and its noise Gaussian, so the
// divergence between the two worlds has a closed form, computed by matrix algebra that shares
// nothing with the engine but the noise levels under test. Certified must be at least exact, for
// thousands of random runs, and close to it for the worst ones.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/proof_linear.h"

namespace lethe::proof {
namespace {

// The closed form is evaluated in long double; this is what its own rounding may add.
constexpr double kSlack = 1e-12;

// The worst ratio of each kind of run, for the one line that a test prints.
class Tally {
 public:
  void Add(const LinearRun& run, const std::vector<double>& ratios) {
    const ForgettingSpec& forgetting = run.script.plan().spec.forgetting;
    double& worst = worst_[std::string(Name(forgetting.guarantee)) + "/" + Name(forgetting.split)];
    for (const double ratio : ratios) worst = std::max(worst, ratio);
    ++runs_;
    deletions_ += ratios.size();
  }

  int runs() const { return runs_; }
  const std::map<std::string, double>& worst() const { return worst_; }

  void Print(const char* what) const {
    std::cout << "[ exact    ] " << what << ": " << runs_ << " runs, " << deletions_
              << " deletions; worst exact/certified:";
    for (const auto& [kind, ratio] : worst_) {
      char text[32];
      std::snprintf(text, sizeof text, "%.8f", ratio);
      std::cout << " " << kind << " " << text;
      testing::Test::RecordProperty(kind, text);
    }
    std::cout << std::endl;
  }

 private:
  std::map<std::string, double> worst_;
  int runs_ = 0;
  std::size_t deletions_ = 0;
};

TEST(Exact, NoRandomRunNeedsMoreThanItsCertificate) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 3000; ++seed) {
    Dice dice(seed);
    const auto run = RandomLinearRun(dice);
    if (!run) continue;
    const std::vector<double> ratios = ExactRatios(*run);
    for (const double ratio : ratios) ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed;
    tally.Add(*run, ratios);
  }
  tally.Print("random");
  // Every guarantee with every split, and runs in which it matters.
  ASSERT_EQ(tally.worst().size(), 6u);
  EXPECT_GE(tally.worst().at("joint/curve"), 0.9);
  EXPECT_GE(tally.worst().at("per_request/curve"), 0.9);
}

TEST(Exact, WorstCasesAttainTheCertificateAtEveryDeletion) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 300; ++seed) {
    Dice dice(seed);
    const LinearRun run = TightLinearRun(dice);
    const std::vector<double> ratios = ExactRatios(run);
    for (const double ratio : ratios) {
      ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed;
      ASSERT_GE(ratio, 0.98) << "seed " << seed;
    }
    tally.Add(run, ratios);
  }
  tally.Print("worst cases");
  ASSERT_EQ(tally.worst().size(), 2u);
  for (const auto& [kind, ratio] : tally.worst()) EXPECT_GE(ratio, 0.99) << kind;
}

TEST(Exact, OnlyRoundingLiesBetweenOneDeletionAndItsCertificate) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 200; ++seed) {
    Dice dice(seed);
    const LinearRun run = SingleDeletionRun(dice);
    const std::vector<double> ratios = ExactRatios(run);
    ASSERT_LE(ratios[0], 1) << "seed " << seed;
    tally.Add(run, ratios);
  }
  tally.Print("one deletion");
  EXPECT_GE(tally.worst().at("joint/curve"), 1 - 1e-7);  // the grid costs 2^-25 of sigma
}

TEST(Exact, NoiseDrawnBeforeTheEventMayBeGoneAndIsNotCounted) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 50; ++seed) {
    Dice dice(seed);
    const LinearRun run = WipedOutRun(dice);
    const std::vector<double> ratios = ExactRatios(run);
    for (const double ratio : ratios) ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed;
    EXPECT_GE(ratios.back(), 0.98) << "seed " << seed;
    tally.Add(run, ratios);
  }
  tally.Print("wiped out");
}

TEST(Exact, DescentsOnRetainedEventsAreCountedWhenThoseAreDeletedLater) {
  Tally tally;
  for (std::uint64_t seed = 1; tally.runs() < 500; ++seed) {
    Dice dice(seed);
    const LinearRun run = RandomDescentRun(dice);
    const std::vector<double> ratios = ExactRatios(run);
    for (const double ratio : ratios) EXPECT_LE(ratio, 1 + kSlack) << "seed " << seed;
    tally.Add(run, ratios);
  }
  tally.Print("active, variant ledger");
  for (const auto& [kind, ratio] : tally.worst()) EXPECT_GE(ratio, 0.5) << kind;
}

TEST(Exact, ADescentLetsItsEventsEnterAgain) {
  const std::vector<double> ratios = ExactRatios(DescentAfterDrawRun());
  for (const double ratio : ratios) EXPECT_LE(ratio, 1 + kSlack);
}

// The variance that the model carries after each request: every draw, faded by the contraction
// since.
std::vector<double> Carried(const Script& script, const std::vector<double>& sigmas) {
  const Constants& c = script.plan().constants;
  std::vector<double> carried;
  long double sum = 0;
  std::int64_t step = 0;
  for (std::size_t i = 0; i < sigmas.size(); ++i) {
    while (step < script.requests()[i].after) {
      const long double eta = script.plan().schedule.Step(++step);
      const long double factor = std::max(std::abs(1 - eta * c.mu), std::abs(1 - eta * c.beta));
      sum *= factor * factor;
    }
    sum += static_cast<long double>(sigmas[i]) * sigmas[i];
    carried.push_back(static_cast<double>(sum));
  }
  return carried;
}

TEST(Exact, TheCurveNeverCarriesMoreVarianceThanTheZetaSplit) {
  double worst = 0;
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Spec spec;
    std::vector<double> carried[2];
    for (const Split split : {Split::kCurve, Split::kZeta}) {
      Dice dice(seed);
      spec = RandomSquaredSpec(dice);
      // The horizon's step depends on the split; everything else is equal.
      if (spec.learning.schedule == ScheduleKind::kHorizon) {
        spec.learning.schedule = ScheduleKind::kConstant;
      }
      spec.forgetting.split = split;
      Script script(spec);
      AddRandomStream(dice, script);
      if (!script.requests().empty()) {
        carried[split == Split::kZeta] = Carried(script, script.Sigmas());
      }
    }
    for (std::size_t i = 0; i < carried[0].size(); ++i, ++compared) {
      ASSERT_LE(carried[0][i], carried[1][i]) << "seed " << seed << ", request " << i;
      worst = std::max(worst, carried[0][i] / carried[1][i]);
    }
  }
  std::cout << "[ exact    ] carried variance, curve/zeta: " << compared << " deletions, worst "
            << worst << std::endl;
}

}  // namespace
}  // namespace lethe::proof
