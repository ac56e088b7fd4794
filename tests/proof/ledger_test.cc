// The influence ledger against real pairs of runs: with any set of events learned in one world and
// blank in the other, the two models are never further apart than the ledger says. Steps as large
// as allowed, projection, descents on the retained events and resets, in doubles.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include <gtest/gtest.h>

#include "engine/learning/mean_cost.h"
#include "engine/learning/reset.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_random.h"
#include "tests/support/proof_script.h"

namespace lethe::proof::ledger_test {
namespace {

// One run with the payloads that it keeps.
struct Side {
  explicit Side(const Script& script)
      : run(script.NewRun()),
        cost(Loss(script.plan().spec.model.loss, script.plan().spec.model.huber_width),
             script.plan().constants, payloads) {}

  MemoryPayloads payloads;
  OnlineRun run;
  MeanCost cost;
};

class Pairing {
 public:
  explicit Pairing(const Script& script) : learned_(script), blank_(script) {}

  // An event; if `concerned`, it is blank in the second world.
  void Learn(const Example& example, bool concerned) {
    const EventIndex index{learned_.run.ledger().steps()};
    learned_.run.Learn(example);
    learned_.payloads.Add(index, example);
    if (concerned) {
      blank_.run.Skip();
      concerned_.push_back(index);
    } else {
      blank_.run.Learn(example);
      blank_.payloads.Add(index, example);
    }
  }

  void Descend(std::int64_t count) {
    for (Side* side : {&learned_, &blank_}) side->run.Descend(side->cost, count);
  }

  void Reset(double tolerance) {
    for (Side* side : {&learned_, &blank_}) {
      ASSERT_TRUE(side->run.Reset(side->cost, tolerance).ok());
    }
  }

  double Distance() const { return (learned_.run.model() - blank_.run.model()).norm(); }
  double RoundOff() const { return learned_.run.ledger().RoundOff(); }
  double Bound() const {
    double bound = RoundOff();
    for (const EventIndex index : concerned_) bound += learned_.run.ledger().Influence(index);
    return bound;
  }

 private:
  Side learned_, blank_;
  std::vector<EventIndex> concerned_;
};

Spec RandomSpec(Dice& dice) {
  Spec spec = PassiveSpec();
  spec.model.loss = static_cast<LossKind>(dice.Below(3));
  spec.model.dimension = 1 + dice.Below(dice.Chance(0.1) ? 200 : 4);
  spec.model.feature_norm = dice.LogUniform(0.1, 10);
  const double squared = spec.model.feature_norm * spec.model.feature_norm;
  spec.model.lambda = squared * dice.LogUniform(1e-6, 100);
  spec.model.radius = dice.LogUniform(0.01, 100);
  spec.model.label_bound = dice.LogUniform(0.01, 100);
  spec.model.huber_width = dice.LogUniform(0.01, 100);
  spec.learning.schedule = static_cast<ScheduleKind>(dice.Below(4));
  SetEta(dice.LogUniform(1e-3, 1) / (squared + spec.model.lambda), spec.learning);
  spec.learning.horizon.events = static_cast<std::int64_t>(dice.LogUniform(10, 1e5));
  // A blank event is no step here; exact_blank_test.cc has the other definition.
  spec.forgetting.mode = "active";
  spec.forgetting.active.variant = ActiveVariant::kLedger;
  return spec;
}

// What a run does, and how hostile it is: all events along one axis with extreme labels make the
// bound tight.
struct Habits {
  bool aligned, extreme;
  double empty, concerned, descent, reset;
};

Example RandomExample(Dice& dice, const ModelSpec& model, const Habits& habits) {
  const auto d = static_cast<Eigen::Index>(model.dimension);
  if (dice.Chance(habits.empty)) return {Vector::Zero(d), 1};
  const double length = model.feature_norm * (habits.extreme ? 1 : dice.Uniform());
  const double y = model.loss == LossKind::kLogistic ? 1.0
                   : habits.extreme                  ? model.label_bound
                                                     : model.label_bound * dice.Uniform();
  return {habits.aligned ? Vector(Vector::Unit(d, 0) * length) : dice.Direction(d, length),
          dice.Chance(0.5) ? y : -y};
}

double WorstOf(Dice& dice, bool with_active_steps) {
  const Spec spec = RandomSpec(dice);
  const Script script(spec);
  const bool resettable = CheckReset(spec, script.plan().constants, 1e-7).ok();
  const Habits habits{dice.Chance(0.5),
                      dice.Chance(0.5),
                      dice.Chance(0.5) ? 0 : 0.9,
                      dice.LogUniform(1e-3, 0.5),
                      with_active_steps ? 0.03 : 0,
                      with_active_steps && resettable ? 0.01 : 0};
  Pairing pair(script);
  double worst = 0;
  for (std::int64_t left = dice.Below(400); left > 0; --left) {
    pair.Learn(RandomExample(dice, spec.model, habits), dice.Chance(habits.concerned));
    if (dice.Chance(habits.descent)) pair.Descend(1 + dice.Below(4));
    if (dice.Chance(habits.reset)) pair.Reset(1e-7);
    if (left % 8 == 1) worst = std::max(worst, pair.Distance() / pair.Bound());
  }
  return worst;
}

double WorstOfMany(const char* what, int runs, bool with_active_steps) {
  double worst = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    Dice dice(static_cast<std::uint64_t>(seed));
    const double ratio = WorstOf(dice, with_active_steps);
    EXPECT_LE(ratio, 1) << "seed " << seed;
    worst = std::max(worst, ratio);
  }
  std::cout << "[ ledger   ] " << what << ": " << runs << " runs, worst distance/bound " << worst
            << std::endl;
  return worst;
}

TEST(LedgerProof, BoundsTheDistanceBetweenTheWorlds) {
  EXPECT_GE(WorstOfMany("learn steps", 3000, false), 0.99);
}

TEST(LedgerProof, BoundsItThroughDescentsAndResets) {
  EXPECT_GE(WorstOfMany("descents and resets", 1000, true), 0.9);
}

// Rounded up, and by no more than rounding takes, over long runs.
TEST(LedgerProof, InfluenceIsTheExactProductRoundedUp) {
  double excess = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    const Script script(RandomSpec(dice));
    const Constants& c = script.plan().constants;
    OnlineRun run = script.NewRun();
    std::vector<long double> logs = {0};  // of the product of the first t contractions
    for (std::int64_t t = 1; t <= 20000; ++t) {
      run.Skip();
      const long double eta = script.plan().schedule.Step(t);
      logs.push_back(logs.back() +
                     std::log(std::max(std::abs(1 - eta * c.mu), std::abs(1 - eta * c.beta))));
    }
    for (int i = 0; i < 50; ++i) {
      const std::int64_t u = i < 10 ? 19999 - i : dice.Below(20000);
      const double influence = run.ledger().Influence({u});
      const long double exact = std::exp(logs.back() - logs[static_cast<std::size_t>(u) + 1]) *
                                script.plan().schedule.Step(u + 1) * c.L;
      if (exact < 1e-290) continue;  // beyond what doubles can hold to full precision
      EXPECT_GE(influence, exact) << "seed " << seed << ", event " << u;
      excess = std::max(excess, static_cast<double>(influence / exact - 1));
    }
  }
  std::cout << "[ ledger   ] influence/exact - 1 at most " << excess << std::endl;
  EXPECT_LE(excess, 1e-9);
}

// When the influence has faded to nothing, what is left between the worlds is rounding, and F alone
// must bound it. Near the fixed point of one event repeated for ever, small updates are lost; one
// world comes to it from below, the other, thrown up by a steeper event, from above.
TEST(LedgerProof, RoundOffAloneIsBoundedByF) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    Spec spec = RandomSpec(dice);
    const double squared = spec.model.feature_norm * spec.model.feature_norm;
    spec.model.lambda = squared * dice.LogUniform(1, 100);
    spec.learning.schedule = ScheduleKind::kConstant;
    spec.learning.eta = dice.LogUniform(2e-3, 0.1) / spec.model.lambda;
    const double y = spec.model.loss == LossKind::kLogistic ? 1 : spec.model.label_bound;
    const Vector x = dice.Direction(spec.model.dimension, spec.model.feature_norm);
    const Script script(spec);
    Pairing pair(script);
    const auto repeat = [&](std::int64_t count) {
      for (; count > 0; --count) pair.Learn({x / 2, y}, false);
    };
    const auto steps = static_cast<std::int64_t>(40 / (*spec.learning.eta * spec.model.lambda));
    repeat(steps);
    pair.Learn({x, y}, true);
    repeat(steps);
    while (pair.Bound() > pair.RoundOff() * (1 + 1e-6)) repeat(500);
    EXPECT_LE(pair.Distance(), pair.RoundOff()) << "seed " << seed;
    worst = std::max(worst, pair.Distance() / pair.RoundOff());
  }
  std::cout << "[ ledger   ] rounding alone: worst distance/F " << worst << std::endl;
  EXPECT_GT(worst, 0);
}

}  // namespace
}  // namespace lethe::proof::ledger_test
