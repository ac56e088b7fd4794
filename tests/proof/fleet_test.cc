// Several shards: an attacker who sees nothing but the average of their models, which is what is
// served, against the promise that is stated for it.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "engine/plan.h"
#include "engine/privacy/noise.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_falsifier.h"
#include "tests/support/proof_random.h"

namespace lethe::proof::fleet_test {
namespace {

constexpr int kOthers = 400;

// The model of a shard in which everybody but one person agrees, and the noise for that person.
struct ShardRun {
  Vector model;
  double sigma = 0;
  double shrink = 1;
};

// With noise disabled the run is that of the same calibration without the draw and the shrink
// before it, so the shrink is made here.
ShardRun RunShard(const Plan& plan, std::int64_t shard, bool is_learned) {
  KeyedRandom random(static_cast<std::uint64_t>(shard));
  MemoryPayloads payloads;
  const auto mode = MakeUnlearner(plan, {shard}, random, payloads);
  for (int i = 0; i < kOthers; ++i) mode->Learn({Vector::Unit(2, 0), -1});
  ShardRun run;
  if (is_learned) {
    mode->Learn({Vector::Unit(2, 0), 1});
    const std::vector<Target> batch = {{{kOthers}, {}}};
    mode->Release(batch);
    const Forgetting forgetting = mode->Forget(batch).value();
    run.sigma = forgetting.sigma;
    run.shrink = forgetting.shrink;
  }
  run.model = run.shrink * mode->model();
  return run;
}

// The shard in the reference world of that run: a step on the regulariser alone where the event
// was, and the same shrink before the draw.
Vector BlankModel(const Plan& plan, std::int64_t shard, const ShardRun& learned) {
  const double eta = plan.schedule.Step(kOthers + 1);
  return RunShard(plan, shard, false).model * ((1 - eta * plan.constants.mu) * learned.shrink);
}

// What an attacker finds on the served average: its mean moves by the mean of the shifts, and its
// noise is the mean of independent draws, so that the worlds differ by a Gaussian with this mu.
double AttackAverage(Spec spec, std::int64_t shards) {
  spec.noise.source = NoiseKind::kDisabled;
  const Plan plan = Plan::Make(spec, shards).value();
  Vector shift = Vector::Zero(2);
  double variance = 0;
  for (std::int64_t shard = 0; shard < shards; ++shard) {
    const ShardRun learned = RunShard(plan, shard, true);
    shift += learned.model - BlankModel(plan, shard, learned);
    variance += learned.sigma * learned.sigma;
  }
  return shift.norm() / std::sqrt(variance);
}

Spec TwoFeatures() {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  return spec;
}

TEST(FleetAttack, TheServedAverageKeepsWhatIsStated) {
  for (const std::int64_t shards : {1, 4, 16}) {
    for (const GuaranteeScope scope : {GuaranteeScope::kFleet, GuaranteeScope::kShard}) {
      Spec spec = TwoFeatures();
      spec.forgetting.guarantee_scope = scope;
      const double stated = Plan::Make(spec, shards).value().served.mu;
      const Verdict verdict =
          Report(std::string(Name(scope)) + ", shards " + std::to_string(shards),
                 {.certified = stated, .lower_bound = AttackAverage(spec, shards)});
      EXPECT_FALSE(verdict.caught());
      EXPECT_GT(verdict.lower_bound, 0.8 * stated) << "the attack has become blunt";
    }
  }
}

// What one shard keeps is not what sixteen keep: the attack must find that out.
TEST(FleetAttack, CatchesThePromiseOfOneShardStatedForTheAverage) {
  Spec spec = TwoFeatures();
  spec.forgetting.guarantee_scope = GuaranteeScope::kShard;
  const double of_one = Plan::Make(spec, 16).value().promise.mu;
  const Verdict verdict = Report("promise of one shard for sixteen",
                                 {.certified = of_one, .lower_bound = AttackAverage(spec, 16)});
  EXPECT_TRUE(verdict.caught());
  EXPECT_GT(verdict.lower_bound, 3 * of_one);
}

// The same with real draws, and scores of an attacker who knows the direction.
TEST(FleetAttack, DrawsOfFourShardsAreNotToldApartBetterThanStated) {
  constexpr std::int64_t kShards = 4;
  constexpr std::int64_t kSeeds = 10000;
  Spec quiet = TwoFeatures();
  quiet.noise.source = NoiseKind::kDisabled;
  const Plan plan = Plan::Make(quiet, kShards).value();
  const ShardRun learned = RunShard(plan, 0, true);
  const ShardRun blank{BlankModel(plan, 0, learned), learned.sigma, learned.shrink};
  const auto score = [&](const ShardRun& world, std::uint64_t seed) {
    KeyedRandom random(seed);
    double mean = 0;
    for (std::uint64_t i = 0; i < kShards; ++i) {
      Vector model = world.model;
      AddGridNoise(model, learned.sigma, quiet.model.radius, random,
                   {Stream::Purpose::kNoise, ShardId{0}, i});
      Project(model, quiet.model.radius);
      mean += model[0] / kShards;
    }
    return mean;
  };
  const double stated = plan.served.mu;
  const Verdict verdict =
      Report("draws of four shards",
             Falsify(
                 stated, kSeeds, [&](std::uint64_t seed) { return score(learned, seed); },
                 [&](std::uint64_t seed) { return score(blank, seed); }));
  EXPECT_FALSE(verdict.caught());
}

}  // namespace
}  // namespace lethe::proof::fleet_test
