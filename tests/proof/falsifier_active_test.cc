// Falsifier, mode active: what holds, and the errors that it must catch. The worlds are made of
// the product's own parts, because in the reference world an event must be blank.
#include <cmath>
#include <deque>
#include <string>

#include <gtest/gtest.h>

#include "engine/learning/calibrator.h"
#include "engine/plan.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_falsifier.h"
#include "tests/support/proof_random.h"

namespace lethe::proof::falsifier_active_test {
namespace {

constexpr std::int64_t kSeeds = 4000;
constexpr double kLambda = 0.05;

Spec ActiveSpecOf(ActiveVariant variant, double tolerance) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  spec.model.lambda = kLambda;
  spec.model.radius = 6;
  spec.learning.eta = 0.5;
  spec.forgetting.mode = "active";
  spec.forgetting.active.variant = variant;
  spec.forgetting.active.tolerance = tolerance;
  spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = 1.0, .rho = {}};
  return spec;
}

// One world: a run with payloads, in which chosen events are blank.
class ActiveWorld {
 public:
  ActiveWorld(const Plan& plan, std::uint64_t seed, std::int64_t keeps_retained = 0)
      : plan_(plan),
        run_(Loss(LossKind::kLogistic), plan.constants, plan.schedule, 2),
        cost_(Loss(LossKind::kLogistic), plan.constants, payloads_),
        random_(seed),
        keeps_retained_(keeps_retained) {}

  void Learn(const Vector& x, double y, bool is_blank = false) {
    const EventIndex index{run_.ledger().steps()};
    if (is_blank) return run_.Skip();
    payloads_.Add(index, {x, y});
    retained_.push_back(index);
    run_.Learn({x, y});
    // The planted window: by count of what is retained instead of by position.
    if (keeps_retained_ > 0 && payloads_.count() > keeps_retained_) Remove(retained_.front());
  }
  void Remove(EventIndex index) {
    payloads_.Remove(index);
    std::erase(retained_, index);
  }
  void Reset(double tolerance) { EXPECT_TRUE(run_.Reset(cost_, tolerance).ok()); }
  void Descend(std::int64_t steps) { run_.Descend(cost_, steps); }
  void Draw(double sigma) {
    run_.Draw(sigma, random_, {Stream::Purpose::kNoise, ShardId{0}, draws_++});
  }
  // What Calibrator would draw for this shift alone.
  double SigmaFor(double shift) const {
    return Calibrator::SigmaFor(shift, plan_.budget.rho, run_);
  }
  OnlineRun& run() { return run_; }
  Vector model() const { return run_.model(); }

 private:
  const Plan& plan_;
  MemoryPayloads payloads_;
  std::deque<EventIndex> retained_;
  OnlineRun run_;
  MeanCost cost_;
  KeyedRandom random_;
  std::uint64_t draws_ = 0;
  std::int64_t keeps_retained_;
};

Plan PlanOf(const Spec& spec) { return Plan::Make(spec).value(); }

// Attacks along the shift between the noiseless worlds; `world(seed, is_blank, is_noisy)` is the
// model after the deletion.
using WorldModel = std::function<Vector(std::uint64_t seed, bool is_blank, bool is_noisy)>;
Verdict Attack(const std::string& name, const Plan& plan, const WorldModel& world) {
  const Vector along = world(0, false, false) - world(0, true, false);
  const double length = along.norm();
  if (!(length > 0)) return Report(name, {plan.budget.mu, 0});
  const auto score = [&](bool is_blank) {
    return [&, is_blank](std::uint64_t seed) {
      return along.dot(world(seed, is_blank, true)) / length;
    };
  };
  return Report(name, Falsify(plan.budget.mu, kSeeds, score(false), score(true)));
}

void LearnAlongE1(ActiveWorld& world, int count) {
  for (int i = 0; i < count; ++i) world.Learn(Vector::Unit(2, 0), i % 3 == 0 ? -1 : 1);
}

// Nothing retained looks along e2, so there the cost is as flat as lambda allows, and an event
// along e2 moves the model far without a large gradient.
Vector AfterOneDeletion(const Plan& plan, std::uint64_t seed, bool is_blank, bool is_noisy,
                        bool resets, double tolerance) {
  ActiveWorld world(plan, seed);
  LearnAlongE1(world, 30);
  world.Learn(Vector::Unit(2, 1), 1, is_blank);
  world.Remove({30});
  if (resets) world.Reset(tolerance);
  const double sigma = world.SigmaFor(2 * tolerance / kLambda);
  if (is_noisy) world.Draw(sigma);
  return world.model();
}

TEST(FalsifierActive, SecondOrderHoldsAlsoWithACoarseTolerance) {
  // With the coarsest of these the reset finds nothing to do, and noise alone must cover the shift.
  for (const double tolerance : {1e-4, 1e-2, 0.1}) {
    const Plan plan = PlanOf(ActiveSpecOf(ActiveVariant::kSecondOrder, tolerance));
    const Verdict verdict =
        Attack("second_order, tolerance " + std::to_string(tolerance), plan,
               [&](std::uint64_t seed, bool is_blank, bool is_noisy) {
                 return AfterOneDeletion(plan, seed, is_blank, is_noisy, true, tolerance);
               });
    EXPECT_FALSE(verdict.caught());
  }
}

TEST(FalsifierActive, CatchesAResetThatStopsBeforeItsTolerance) {
  const Plan plan = PlanOf(ActiveSpecOf(ActiveVariant::kSecondOrder, 1e-6));
  const Verdict verdict = Attack(
      "planted: reset stops early", plan, [&](std::uint64_t seed, bool is_blank, bool is_noisy) {
        return AfterOneDeletion(plan, seed, is_blank, is_noisy, false, 1e-6);
      });
  EXPECT_TRUE(verdict.caught());
}

// Two deletions, each with its reset. The second draw is the product's, or what would be left to
// draw if the first one still counted.
Vector AfterTwoDeletions(const Plan& plan, std::uint64_t seed, bool is_blank, bool is_noisy,
                         bool rows_survive) {
  const double tolerance = 1e-2;
  ActiveWorld world(plan, seed);
  LearnAlongE1(world, 30);
  world.Learn(Vector::Unit(2, 1), -1);
  world.Remove({30});
  world.Reset(tolerance);
  const double first = world.SigmaFor(2 * tolerance / kLambda);
  if (is_noisy) world.Draw(first);
  const Vector diagonal = Vector::Constant(2, std::sqrt(0.5));
  for (int i = 0; i < 20; ++i) world.Learn(diagonal, i % 2 == 0 ? 1 : -1);
  world.Learn(Vector::Unit(2, 1), 1, is_blank);
  world.Remove({51});
  world.Reset(tolerance);
  const double needed = world.SigmaFor(2 * tolerance / kLambda);
  const double sigma =
      rows_survive ? std::sqrt(std::max(needed * needed - first * first, 1e-20)) : needed;
  if (is_noisy) world.Draw(sigma);
  return world.model();
}

TEST(FalsifierActive, CatchesRowsThatSurviveAReset) {
  const Plan plan = PlanOf(ActiveSpecOf(ActiveVariant::kSecondOrder, 1e-2));
  for (const bool rows_survive : {false, true}) {
    const Verdict verdict =
        Attack(rows_survive ? "planted: rows survive a reset" : "second deletion after a reset",
               plan, [&](std::uint64_t seed, bool is_blank, bool is_noisy) {
                 return AfterTwoDeletions(plan, seed, is_blank, is_noisy, rows_survive);
               });
    EXPECT_EQ(verdict.caught(), rows_survive);
  }
}

// A descent on three events, one of which is deleted next. Its steps have pulled the model towards
// that event; without the additive term the ledger would think that they had only shrunk it.
Vector AfterDescents(const Plan& plan, std::uint64_t seed, bool is_blank, bool is_noisy,
                     bool additive) {
  ActiveWorld world(plan, seed);
  world.Learn(Vector::Unit(2, 1), 1, is_blank);
  const DoubleDouble at_event = world.run().ledger().Log();
  const double own = world.run().ledger().StepSize({0}) * plan.constants.L;
  world.Learn(Vector::Unit(2, 0), 1);
  world.Learn(Vector::Unit(2, 0), -1);
  world.Descend(200);
  const double wrong = own * std::exp(world.run().ledger().Log().Minus(at_event));
  const double right = world.run().ledger().Influence({0});
  const double sigma = world.SigmaFor(additive ? right : wrong);
  if (is_noisy) world.Draw(sigma);
  return world.model();
}

TEST(FalsifierActive, CatchesALedgerWithoutTheAdditiveTerm) {
  const Plan plan = PlanOf(ActiveSpecOf(ActiveVariant::kLedger, 1e-10));
  for (const bool additive : {true, false}) {
    const Verdict verdict =
        Attack(additive ? "descent, additive term" : "planted: no additive term", plan,
               [&](std::uint64_t seed, bool is_blank, bool is_noisy) {
                 return AfterDescents(plan, seed, is_blank, is_noisy, additive);
               });
    EXPECT_EQ(verdict.caught(), !additive);
  }
}

// An old event along e2 sits at the edge of a window of ten; the deleted one pushed it out, if the
// window counts what is retained, and in the reference world it did not.
Vector WithWindow(const Plan& plan, std::uint64_t seed, bool is_blank, bool is_noisy,
                  bool by_count) {
  constexpr std::int64_t kWindow = 10;
  ActiveWorld world(plan, seed, by_count ? kWindow : 0);
  world.Learn(Vector::Unit(2, 1), 1);
  LearnAlongE1(world, kWindow - 1);
  world.Learn(Vector::Unit(2, 0), 1, is_blank);
  world.Remove({kWindow});
  // By position: of the last ten indices, the oldest event is not one.
  if (!by_count) world.Remove({0});
  world.Reset(1e-8);
  if (is_noisy) world.Draw(world.SigmaFor(2e-8 / kLambda));
  return world.model();
}

TEST(FalsifierActive, CatchesAWindowCountedInRetainedEvents) {
  const Plan plan = PlanOf(ActiveSpecOf(ActiveVariant::kSecondOrder, 1e-8));
  for (const bool by_count : {false, true}) {
    const Verdict verdict =
        Attack(by_count ? "planted: window of retained events" : "window by position", plan,
               [&](std::uint64_t seed, bool is_blank, bool is_noisy) {
                 return WithWindow(plan, seed, is_blank, is_noisy, by_count);
               });
    EXPECT_EQ(verdict.caught(), by_count);
  }
}

}  // namespace
}  // namespace lethe::proof::falsifier_active_test
