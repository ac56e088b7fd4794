// Falsifier, second half: a check that cannot fail proves nothing. Each test plants one error in
// how much noise is drawn (in the test, never in the product), which the attack must catch, and
// shows that the product holds against the same attack.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "engine/privacy/hull.h"
#include "tests/support/proof_falsifier.h"
#include "tests/support/proof_plants.h"
#include "tests/support/proof_random.h"

namespace lethe::proof::falsifier_noise_test {
namespace {

constexpr std::int64_t kSeeds = 20000;

Spec TightSpec() { return LogisticSpec(/*eta=*/0.1, /*lambda=*/1e-3, /*radius=*/8, /*mu=*/1); }

// The linear attack on the last request, under these noise levels.
Verdict AttackLast(const std::string& name, const Script& script,
                   const std::vector<double>& sigmas) {
  const std::size_t last = script.requests().size() - 1;
  const Pair worlds = WorldsOf(script, last, sigmas);
  return Report(name, Falsify(script, worlds, kSeeds, LinearAttack(worlds, last)));
}

TEST(FalsifierCatches, PaperCalibrationUnderInverseTimeSteps) {
  // beta/mu = 4. From event 100 to event 200 the influence halves; the paper says 0.6^100.
  Spec spec = LogisticSpec(0.1, 1.0 / 12, 12, 1);
  spec.learning.schedule = ScheduleKind::kInverseTime;
  const auto script_with = [&](Calibration calibration) {
    spec.forgetting.calibration = calibration;
    Script script(spec);
    script.LearnMany(99, Vector::Unit(2, 0), 1);
    const std::int64_t deleted = Oppose(script);
    script.LearnMany(100, Vector::Unit(2, 0), 1);
    script.Forget({deleted});
    return script;
  };
  const Script paper = script_with(Calibration::kPaper);
  EXPECT_FALSE(paper.plan().WhyNotCertified().empty());
  EXPECT_TRUE(AttackLast("calibration: paper", paper, paper.Sigmas()).caught());
  const Script ledger = script_with(Calibration::kLedger);
  EXPECT_TRUE(ledger.plan().WhyNotCertified().empty());
  EXPECT_FALSE(AttackLast("  as the product does", ledger, ledger.Sigmas()).caught());
}

TEST(FalsifierCatches, HalvedNoise) {
  const Script script = OneDeletion(TightSpec());
  std::vector<double> sigmas = script.Sigmas();
  EXPECT_FALSE(AttackLast("  as the product does", script, sigmas).caught());
  sigmas.back() /= 2;
  EXPECT_TRUE(AttackLast("noise halved", script, sigmas).caught());
}

TEST(FalsifierCatches, ASecondRequestLivingOffTheFirstDraw) {
  Spec spec = TightSpec();
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  const auto script_with = [&](std::optional<std::uint64_t> subject) {
    Script script(spec);
    PushAlong(script);
    const std::int64_t first = Oppose(script, subject), second = Oppose(script, subject);
    script.Forget({first});
    script.Forget({second});
    return script;
  };
  const Script script = script_with(1);
  EXPECT_FALSE(AttackLast("  as the product does", script, script.Sigmas()).caught());
  // A calibrator that does not know the person counts the second event alone, which the first
  // draw covers.
  const std::vector<double> sigmas = script_with({}).Sigmas();
  EXPECT_TRUE(AttackLast("second request off the first draw", script, sigmas).caught());
}

TEST(FalsifierCatches, NoiseDrawnAgainForTheSameStateAndAveraged) {
  const Script script = OneDeletion(TightSpec());
  const Pair worlds = WorldsOf(script, 0, script.Sigmas());
  const Vector direction = Vector::Unit(2, 0);
  const auto mean_of = [&](int draws) {
    return [&, draws](const World& world, std::uint64_t seed) {
      const OnlineRun before = world.Before(0, seed);
      KeyedRandom random(seed);
      double sum = 0;
      for (int i = 0; i < draws; ++i) {
        OnlineRun run = before;
        run.Draw(world.sigmas()[0], random,
                 {Stream::Purpose::kNoise, ShardId{0}, static_cast<std::uint64_t>(i)});
        sum += direction.dot(run.model());
      }
      return sum;
    };
  };
  EXPECT_FALSE(
      Report("  as the product does", Falsify(script, worlds, kSeeds, mean_of(1))).caught());
  EXPECT_TRUE(Report("mean of 16 draws of one state", Falsify(script, worlds, kSeeds, mean_of(16)))
                  .caught());
}

// A stream on which noise that the ledger still counts is gone. Somebody's batch takes a large
// draw; then labels in turn, along e1, with steps at which the curvature wipes out along e1 all
// that came before, while the ledger's contraction stays near 1; then event u along e1. In between
// come `others` requests for old events, which the large draw covers. u is deleted last.
Script WipedOut(int others) {
  Spec spec = LogisticSpec(/*eta=*/4, /*lambda=*/1e-4, /*radius=*/60, /*mu=*/1);
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  Script script(spec);
  std::vector<std::int64_t> batch, old;
  for (int i = 0; i < 3; ++i) batch.push_back(script.Learn(Vector::Unit(2, 1), 1));
  for (int i = 0; i < others; ++i) old.push_back(script.Learn(Vector::Unit(2, 1), 1));
  script.Forget(batch);
  for (int i = 0; i < 200; ++i) script.Learn(Vector::Unit(2, 0), i % 2 == 0 ? -1 : 1);
  const std::int64_t u = Oppose(script);
  for (const std::int64_t event : old) script.Forget({event});
  script.Forget({u});
  return script;
}

TEST(FalsifierCatches, TheCurveSpendingADrawFromBeforeTheEvent) {
  const Script script = WipedOut(0);
  const std::vector<double> sigmas = script.Sigmas();
  // The plant differs from the product in one thing only, and in the reserve of the product.
  const std::vector<double> honest = SigmasWith(script, ShiftNoiseCurve(), TrulyEntered);
  for (std::size_t i = 0; i < sigmas.size(); ++i) {
    ASSERT_NEAR(honest[i], sigmas[i], ShiftNoiseCurve::kReserve * sigmas[i]);
  }
  EXPECT_FALSE(AttackLast("  as the product does", script, sigmas).caught());
  const std::vector<double> planted =
      SigmasWith(script, ShiftNoiseCurve(), [](EventIndex) { return std::int64_t{1}; });
  EXPECT_TRUE(AttackLast("a draw from before the event", script, planted).caught());
}

// The wrong rule: two neighbours become one at the time of the later.
class LateMergeCurve {
 public:
  void AddShift(const ShiftNoiseCurve::Group&, std::int64_t entered, double shift,
                const DoubleDouble&) {
    shifts_.push_back({entered, shift});
  }

  double LeastSigma(const std::vector<ShiftNoiseCurve::Group>&, double rho,
                    const ShiftNoiseCurve::ExtraShift& extra, const DoubleDouble& now) const {
    LowerHull hull;
    std::int64_t since = 0;
    for (const Draw& draw : draws_) {
      hull.Add(draw.variance * std::exp(2 * now.Minus(draw.log)), Between(since, draw.steps));
      since = draw.steps;
    }
    const double waiting = Between(since, INT64_MAX);
    double low = 0, high = 1e6;
    for (int i = 0; i < 200; ++i) {
      const double middle = (low + high) / 2;
      (hull.CostWith(middle * middle, waiting + extra(middle)) <= rho ? high : low) = middle;
    }
    return high;
  }

  void AddDraw(std::int64_t steps, double variance, const DoubleDouble& now) {
    shifts_.clear();
    draws_.push_back({steps, now, variance});
    if (draws_.size() <= 3) return;
    draws_[1].variance += draws_[0].variance * std::exp(2 * draws_[1].log.Minus(draws_[0].log));
    draws_.erase(draws_.begin());
  }

 private:
  struct Draw {
    std::int64_t steps;
    DoubleDouble log;
    double variance;
  };

  // What entered after step `since` and up to step `until`.
  double Between(std::int64_t since, std::int64_t until) const {
    double sum = 0;
    for (const auto& [entered, shift] : shifts_) {
      if (entered > since && entered <= until) sum += shift;
    }
    return sum;
  }

  std::vector<Draw> draws_;
  std::vector<std::pair<std::int64_t, double>> shifts_;
};

TEST(FalsifierCatches, TheMergeRuleTheOtherWay) {
  const Script script = WipedOut(3);
  const std::vector<double> merged = SigmasWith(script, ShiftNoiseCurve(3), TrulyEntered);
  EXPECT_FALSE(AttackLast("  as the product merges", script, merged).caught());
  const std::vector<double> planted = SigmasWith(script, LateMergeCurve(), TrulyEntered);
  // Until the merged row is used both rules agree.
  for (std::size_t i = 0; i + 1 < planted.size(); ++i) {
    EXPECT_NEAR(planted[i], merged[i], 1e-9 * merged[i]);
  }
  EXPECT_TRUE(AttackLast("rows merged at the later draw", script, planted).caught());
}

}  // namespace
}  // namespace lethe::proof::falsifier_noise_test
