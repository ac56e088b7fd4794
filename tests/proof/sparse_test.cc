// Hashed models, z = s v with a carried norm, against the ledger: with any set of events learned in
// one world and blank in the other, the two models are never further apart than influence and
// round-off allow, through projections, folds and draws, and when rounding is all that is left.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include <gtest/gtest.h>

#include "engine/admission/event_validator.h"
#include "engine/admission/feature_hash.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_random.h"
#include "tests/support/proof_script.h"
#include "tests/support/sparse_events.h"

namespace lethe::proof::sparse_test {
namespace {

class Pairing {
 public:
  explicit Pairing(const Script& script) : learned_(script.NewRun()), blank_(script.NewRun()) {}

  // An event; if `concerned`, it is blank in the second world.
  void Learn(const Example& example, bool concerned) {
    if (concerned) concerned_.push_back({learned_.ledger().steps()});
    learned_.Learn(example);
    blank_.Learn(concerned ? Example{Vector(0), 0} : example);
  }

  // The same noise in both worlds: what it does to their distance is rounding.
  void Draw(double sigma, std::uint64_t number) {
    KeyedRandom random(number);
    for (OnlineRun* run : {&learned_, &blank_}) {
      run->Draw(sigma, random, {Stream::Purpose::kNoise, ShardId{0}, number});
    }
  }

  double Distance() const { return (learned_.model() - blank_.model()).norm(); }
  long double Norm() const {
    return std::max(ExactNorm(learned_.model()), ExactNorm(blank_.model()));
  }
  double RoundOff() const { return learned_.ledger().RoundOff(); }
  double Bound() const {
    double bound = RoundOff();
    for (const EventIndex index : concerned_) bound += learned_.ledger().Influence(index);
    return bound;
  }

 private:
  OnlineRun learned_, blank_;
  std::vector<EventIndex> concerned_;
};

Spec RandomSpec(Dice& dice) {
  Spec spec = PassiveSpec();
  spec.model.loss = static_cast<LossKind>(dice.Below(3));
  spec.model.hash_bits = dice.Chance(0.05) ? 13 : 1 + dice.Below(7);
  spec.model.bias = dice.Chance(0.3);
  spec.model.feature_norm = dice.LogUniform(0.1, 10);
  const double squared = spec.model.feature_norm * spec.model.feature_norm + spec.model.bias;
  spec.model.lambda = squared * dice.LogUniform(1e-6, 100);
  spec.model.radius = dice.LogUniform(0.01, 100);
  spec.model.label_bound = dice.LogUniform(0.01, 100);
  spec.model.huber_width = dice.LogUniform(0.01, 100);
  spec.learning.schedule = static_cast<ScheduleKind>(dice.Below(4));
  SetEta(dice.LogUniform(1e-3, 1) / (squared + spec.model.lambda), spec.learning);
  spec.learning.horizon.events = static_cast<std::int64_t>(dice.LogUniform(10, 1e5));
  spec.learning.horizon.deletions = 1 + dice.Below(3);
  return spec;
}

struct Habits {
  std::int64_t features;
  bool aligned, extreme;  // all on one axis, with the largest values: the bound is tight
  double empty, concerned, draw;
};

Example RandomEvent(Dice& dice, const ModelSpec& model, const Habits& habits) {
  const double length = model.feature_norm * (habits.extreme ? 1 : dice.Uniform());
  double y = model.loss == LossKind::kLogistic ? 1.0
             : habits.extreme                  ? model.label_bound
                                               : model.label_bound * dice.Uniform();
  if (dice.Chance(0.5)) y = -y;
  if (dice.Chance(habits.empty)) return SparseEvent(dice, model, 0, 0, y);
  if (!habits.aligned) return SparseEvent(dice, model, 1 + dice.Below(habits.features), length, y);
  Example event = SparseEvent(dice, model, 1, length, y);
  event.at[0] = 0;
  event.x[0] = length;
  return event;
}

double WorstOf(Dice& dice) {
  const Spec spec = RandomSpec(dice);
  const Script script(spec);
  const std::int64_t most = spec.model.hash_bits == 13 ? std::int64_t{kMaxFeatures} : 12;
  const Habits habits{most,
                      dice.Chance(0.5),
                      dice.Chance(0.5),
                      dice.Chance(0.5) ? 0 : 0.9,
                      dice.LogUniform(1e-3, 0.5),
                      dice.Chance(0.5) ? 0 : 0.02};
  Pairing pair(script);
  double worst = 0;
  for (std::int64_t left = dice.Below(most > 12 ? 40 : 600); left > 0; --left) {
    pair.Learn(RandomEvent(dice, spec.model, habits), dice.Chance(habits.concerned));
    if (dice.Chance(habits.draw)) {
      pair.Draw(spec.model.radius * dice.LogUniform(1e-12, 10), static_cast<std::uint64_t>(left));
    }
    worst = std::max(worst, pair.Distance() / pair.Bound());
    EXPECT_LE(pair.Norm(), spec.model.radius);
  }
  return worst;
}

TEST(SparseProof, LedgerBoundsTheDistanceBetweenTheWorlds) {
  double worst = 0;
  const int runs = 3000;
  for (int seed = 1; seed <= runs; ++seed) {
    Dice dice(static_cast<std::uint64_t>(seed));
    const double ratio = WorstOf(dice);
    EXPECT_LE(ratio, 1) << "seed " << seed;
    worst = std::max(worst, ratio);
  }
  std::cout << "[ sparse   ] " << runs << " runs, worst distance/bound " << worst << std::endl;
  EXPECT_GE(worst, 0.99);
}

// A million steps after the only event in which the worlds differ: its influence is 0 in exact
// arithmetic, s has been folded hundreds of times, at other moments in one world than in the other
// because projections differ, and what is left is rounding.
TEST(SparseProof, RoundOffAloneIsBoundedAfterAMillionSteps) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Dice dice(seed);
    Spec spec = PassiveSpec();
    spec.model.hash_bits = 6 + static_cast<std::int64_t>(seed % 3) * 3;
    spec.model.loss = static_cast<LossKind>(seed % 3);
    spec.model.label_bound = seed % 2 == 0 ? 1 : 100;
    spec.model.radius = seed % 2 == 0 ? 12 : 0.3;
    spec.model.lambda = 0.05;
    const double y = spec.model.loss == LossKind::kLogistic ? 1 : spec.model.label_bound;
    const auto new_event = [&] {
      return SparseEvent(dice, spec.model, 1 + dice.Below(20), dice.Uniform(),
                         dice.Chance(0.6) ? y : -y);
    };
    Pairing pair{Script(spec)};
    for (int t = 0; t < 1000; ++t) pair.Learn(new_event(), false);
    pair.Learn(new_event(), true);
    // Some streams repeat one event for ever: near its fixed point small updates are lost.
    const bool repeats = seed <= 3;
    Example event = new_event();
    double faded = 0;  // distance/F once influence is below F
    for (int t = 0; t < 1000000; ++t) {
      if (!repeats) event = new_event();
      pair.Learn(event, false);
      if (t % 1000 != 0) continue;
      const double distance = pair.Distance();
      ASSERT_LE(distance, pair.Bound()) << "seed " << seed << ", step " << t;
      if (pair.Bound() > pair.RoundOff() * (1 + 1e-9)) continue;
      faded = std::max(faded, distance / pair.RoundOff());
    }
    ASSERT_LT(pair.Bound() - pair.RoundOff(), 1e-80);
    worst = std::max(worst, faded);
  }
  std::cout << "[ sparse   ] rounding alone: worst distance/F " << worst << std::endl;
  EXPECT_GT(worst, 0);
}

// A planted error: the same step with the norm carried as a float.
class FloatNorm {
 public:
  FloatNorm(const Constants& constants, Eigen::Index dimension)
      : constants_(constants), v_(Vector::Zero(dimension)) {}

  void Learn(const Loss& loss, double eta, const Example& example) {
    double dot = 0;
    for (std::size_t i = 0; i < example.at.size(); ++i) dot += v_[example.at[i]] * X(example, i);
    const double push = eta * loss.Slope(scale_ * dot, example.y);
    scale_ *= 1 - eta * constants_.mu;
    for (std::size_t i = 0; i < example.at.size(); ++i) {
      double& weight = v_[example.at[i]];
      const double before = weight;
      weight -= push / scale_ * X(example, i);
      squares_ += static_cast<float>(weight * weight - before * before);
    }
    const double squared = scale_ * scale_ * squares_;
    if (squared > constants_.radius * constants_.radius) {
      scale_ *= constants_.radius / std::sqrt(squared) * (1 - 8 * 0x1p-52);
    }
    if (scale_ > 0x1p-60) return;
    v_ *= scale_;
    squares_ *= static_cast<float>(scale_ * scale_);
    scale_ = 1;
  }

  Vector model() const { return scale_ * v_; }

 private:
  static double X(const Example& example, std::size_t i) {
    return example.x[static_cast<Eigen::Index>(i)];
  }

  Constants constants_;
  Vector v_;
  double scale_ = 1;
  float squares_ = 0;
};

TEST(SparseProof, CatchesANormThatDrifts) {
  Spec spec = PassiveSpec();
  spec.model.hash_bits = 4;
  spec.model.radius = 1;
  const Script script(spec);
  const Loss loss(spec.model.loss);
  Pairing pair(script);
  FloatNorm learned(script.plan().constants, 16), blank(script.plan().constants, 16);
  Dice dice(1);
  double distance = 0, norm = 0;
  for (int t = 0; t < 20000; ++t) {
    const Example event = SparseEvent(dice, spec.model, 3, 1, dice.Chance(0.5) ? 1 : -1);
    const double eta = script.plan().schedule.Step(t + 1);
    pair.Learn(event, t == 100);
    learned.Learn(loss, eta, event);
    if (t != 100) blank.Learn(loss, eta, event);
    ASSERT_LE(pair.Distance(), pair.Bound());
    ASSERT_LE(pair.Norm(), spec.model.radius);
    distance = std::max(distance, (learned.model() - blank.model()).norm() / pair.Bound());
    norm = std::max(norm, static_cast<double>(ExactNorm(learned.model())));
  }
  std::cout << "[ sparse   ] planted drift: distance/bound " << distance << ", norm/radius - 1 "
            << norm / spec.model.radius - 1 << std::endl;
  EXPECT_GT(distance, 1);
  EXPECT_GT(norm, spec.model.radius);
}

}  // namespace
}  // namespace lethe::proof::sparse_test
