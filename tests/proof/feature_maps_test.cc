// Maps of one event and the certificate of mode passive: rows that were normalised and have become
// random Fourier features keep the promise, and two mistakes that a map could make are caught.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "engine/admission/event_validator.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_falsifier.h"
#include "tests/support/proof_random.h"

namespace lethe::proof::feature_maps_test {
namespace {

constexpr std::int64_t kSeeds = 20000;
constexpr std::int64_t kRetained = 3000;

Spec Base() {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  spec.model.lambda = 0.005;
  spec.model.radius = 6;
  SetEta(0.4, spec.learning);
  spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = 1.0, .rho = {}};
  return spec;
}

Vector Mapped(const Spec& spec, const Vector& row) {
  Event event;
  event.x = {row.data(), row.data() + row.size()};
  event.y = 1;
  Example example;
  const auto rejection =
      EventValidator(spec.model, FeatureMap::Make(spec.model, spec.features)).Admit(event, example);
  EXPECT_FALSE(rejection) << rejection->message;
  return example.x;
}

const Vector kAlong{{3, 1}};
const Vector kAcross{{-1, 2}};

// A model that is sure of one label, an event that says the opposite, and its deletion. `spec` is
// what the certificate believes, `maps` what is done to the rows.
Script HostileScript(const Spec& spec, const Spec& maps) {
  Script script(spec);
  const Vector along = Mapped(maps, kAlong);
  script.LearnMany(kRetained, along, 1);
  const std::int64_t deleted = script.Learn(along, -1);
  script.Learn(Mapped(maps, kAcross), -1);
  script.Forget({deleted});
  return script;
}

Verdict Attack(const char* name, const Script& script) {
  const Pair worlds = WorldsOf(script, 0, script.Sigmas());
  return Report(name, Falsify(script, worlds, kSeeds, LinearAttack(worlds, 0)));
}

TEST(FeatureMapsInPassive, NormalisedFourierFeaturesKeepThePromise) {
  Spec spec = Base();
  spec.features.normalise = NormaliseKind::kL2;
  spec.features.fourier = {.dimension = 16, .gamma = 0.5, .seed = 1};
  const Script script = HostileScript(spec, spec);
  EXPECT_TRUE(script.plan().WhyNotCertified().empty());
  EXPECT_EQ(script.events().front().x.size(), 16);
  const Verdict verdict = Attack("normalised Fourier features", script);
  EXPECT_FALSE(verdict.caught());
  EXPECT_GT(verdict.lower_bound, 0.5 * verdict.certified);
}

// The bound must be that of what is learned: these rows have norm 0.25 before they are normalised.
TEST(FalsifierCatches, ABoundThatIsTestedBeforeTheLastMap) {
  Spec maps = Base();
  maps.features.normalise = NormaliseKind::kL2;
  Spec believed = Base();
  believed.model.feature_norm = 0.25;
  EXPECT_TRUE(Attack("norm tested before the last map", HostileScript(believed, maps)).caught());
  EXPECT_FALSE(Attack("  tested after it", HostileScript(maps, maps)).caught());
}

// A scale that goes on learning is memory beside the model. Here each row is divided by the largest
// value so far; in the world without the deleted event the later rows are other ones.
TEST(FalsifierCatches, AScaleThatRemembers) {
  const Spec spec = Base();
  const auto script_with = [&spec](double largest_of_deleted) {
    Script script(spec);
    double largest = 1;
    const auto learn = [&](double value, double y) {
      largest = std::max(largest, std::abs(value));
      return script.Learn(Vector{{value / largest, 0}}, y);
    };
    for (int i = 0; i < kRetained; ++i) learn(1, 1);
    const std::int64_t deleted = learn(largest_of_deleted, 1);
    for (int i = 0; i < 50; ++i) learn(1, -1);
    script.Forget({deleted});
    return script;
  };
  const Script with = script_with(1e6), without = script_with(1);
  const std::vector<double> sigmas = with.Sigmas();
  const World learned(with, {}, sigmas), blank(without, without.Blank(0), sigmas);
  const Vector shift = learned.Noiseless(0) - blank.Noiseless(0);
  const auto attack = [&shift](const World& world) {
    return [&](std::uint64_t seed) { return shift.dot(world.Sample(0, seed)); };
  };
  EXPECT_TRUE(Report("a scale that remembers",
                     Falsify(with.plan().promise.mu, kSeeds, attack(learned), attack(blank)))
                  .caught());
  EXPECT_FALSE(Attack("  a fixed scale", without).caught());
}

}  // namespace
}  // namespace lethe::proof::feature_maps_test
