// Runs of mode active, and what it does to the law of the model.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/passive_spec.h"
#include "tests/support/proof_linear.h"

namespace lethe::proof {
namespace {

// The number of steps of OLU Algorithm 2 that gain this factor, with gamma at 2/(beta+mu).
std::int64_t StepsFor(double gain, const Constants& c) {
  const double gamma = (c.beta - c.mu) / (c.beta + c.mu);
  return static_cast<std::int64_t>(
      std::max(1.0, std::ceil(std::log(std::max(gain, 1.0)) / -std::log(gamma))));
}

// What the batch of request i said in this world.
std::vector<Example> BatchAt(const Script& script, const std::vector<bool>& blank, std::size_t i) {
  std::vector<Example> batch;
  for (const Target& target : script.requests()[i].batch) {
    const auto index = static_cast<std::size_t>(target.index.value);
    if (blank.empty() || !blank[index]) batch.push_back(script.events()[index]);
  }
  return batch;
}

void DescendAndRemove(const Script& script, const std::vector<bool>& blank, std::size_t i,
                      GaussianWorld& world) {
  const Constants& c = script.plan().constants;
  const std::vector<Example> stored = StoredAt(script, blank, i);
  const std::vector<Example> batch = BatchAt(script, blank, i);
  // With nothing left the mode begins at 0 again.
  if (stored.empty()) return world.Minimise(stored, c.mu);
  std::vector<Example> all = stored;
  all.insert(all.end(), batch.begin(), batch.end());
  world.Descend(all, c.max_step(), c.mu, *script.plan().spec.forgetting.active.steps);
  if (!batch.empty()) world.RemoveByNewton(stored, batch, c.mu);
}

void DescendAsInThePaper(const Script& script, const std::vector<bool>& blank, std::size_t i,
                         GaussianWorld& world) {
  const Constants& c = script.plan().constants;
  std::vector<Example> stored = StoredAt(script, blank, i);
  std::vector<Example> all = stored;
  const std::vector<Example> batch = BatchAt(script, blank, i);
  all.insert(all.end(), batch.begin(), batch.end());
  const auto tau = static_cast<double>(script.requests()[i].after);
  world.Descend(all, c.max_step(), c.mu, StepsFor(c.mu * 2 * c.radius * tau / c.L, c));
  const auto k = static_cast<double>(i + 1);
  world.Descend(stored, c.max_step(), c.mu, StepsFor(std::pow(k, 2.2), c));
}

// Most events pull one way; those to be deleted the other.
void AddPulls(Dice& dice, Script& script) {
  const ModelSpec& model = script.plan().spec.model;
  const auto d = static_cast<Eigen::Index>(model.dimension);
  const Vector x = dice.Direction(d, model.feature_norm);
  std::vector<std::int64_t> later;
  for (std::int64_t left = 60 + dice.Below(100); left > 0; --left) {
    const bool odd = later.size() < 6 && dice.Chance(0.1);
    const std::int64_t index = script.Learn(
        dice.Chance(0.7) ? x : dice.Direction(d, model.feature_norm),
        odd ? model.label_bound : -model.label_bound, static_cast<std::uint64_t>(dice.Below(2)));
    if (odd) later.push_back(index);
    if (left > 1 && (left > 100 || !dice.Chance(0.05))) continue;
    if (later.empty()) continue;
    const auto next = later.begin() + dice.Below(static_cast<std::int64_t>(later.size()));
    script.Forget({*next});
    later.erase(next);
  }
  if (script.requests().empty()) script.Forget({0});
}

LinearRun Finish(Dice& dice, const Spec& spec) {
  LinearRun run{Script(spec), {}};
  AddPulls(dice, run.script);
  run.sigmas = run.script.Sigmas();
  return run;
}

}  // namespace

Spec RandomActiveSpec(Dice& dice, ActiveVariant variant) {
  Spec spec = PassiveSpec();
  spec.model.loss = LossKind::kSquared;
  spec.model.feature_norm = dice.LogUniform(0.3, 3);
  spec.model.lambda = spec.model.feature_norm * spec.model.feature_norm * dice.LogUniform(20, 200);
  spec.model.radius = 1;
  spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = dice.LogUniform(0.5, 4), .rho = {}};
  spec.model.dimension = 1 + dice.Below(3);
  spec.model.label_bound =
      0.5 * spec.model.lambda / spec.model.feature_norm * dice.LogUniform(0.1, 1);
  spec.learning.eta = dice.LogUniform(1e-4, 1e-2) / spec.model.lambda;
  spec.forgetting.mode = "active";
  spec.forgetting.active.variant = variant;
  return spec;
}

std::vector<Example> StoredAt(const Script& script, const std::vector<bool>& blank, std::size_t i) {
  std::vector<Example> stored;
  for (std::size_t k = 0; k < script.events().size(); ++k) {
    const bool is_blank = !blank.empty() && blank[k];
    if (!is_blank && script.IsStored(k, i)) stored.push_back(script.events()[k]);
  }
  return stored;
}

void ActBefore(const Script& script, const std::vector<bool>& blank, std::size_t i,
               GaussianWorld& world) {
  const Constants& c = script.plan().constants;
  const ActiveSpec& active = script.plan().spec.forgetting.active;
  switch (active.variant) {
    case ActiveVariant::kSecondOrder: {
      const Eigen::Index d = world.mean().size();
      world.Minimise(StoredAt(script, blank, i), c.mu);
      world.Move((blank.empty() ? 1 : -1) * active.tolerance / c.mu * Vector::Unit(d, d - 1));
      return;
    }
    case ActiveVariant::kLedger:
      return world.Descend(StoredAt(script, blank, i), c.max_step(), c.mu, *active.steps);
    case ActiveVariant::kPaper: return DescendAsInThePaper(script, blank, i, world);
    case ActiveVariant::kAlgorithm3: return DescendAndRemove(script, blank, i, world);
    case ActiveVariant::kAlgorithm3Paper: break;
  }
}

LinearRun RandomDescentRun(Dice& dice) {
  Spec spec = RandomActiveSpec(dice, ActiveVariant::kLedger);
  spec.forgetting.active.steps = 1 + dice.Below(2);
  spec.forgetting.guarantee = static_cast<Guarantee>(dice.Below(2));
  return Finish(dice, spec);
}

LinearRun RandomPaperRun(Dice& dice) {
  Spec spec = RandomActiveSpec(dice, ActiveVariant::kPaper);
  spec.forgetting.guarantee = static_cast<Guarantee>(dice.Below(2));
  return Finish(dice, spec);
}

LinearRun RandomNewtonRun(Dice& dice) {
  Spec spec = RandomActiveSpec(dice, ActiveVariant::kAlgorithm3);
  spec.model.label_bound = std::sqrt(spec.model.lambda) * dice.LogUniform(0.1, 0.9);
  spec.forgetting.active.steps = 1 + dice.Below(4);
  spec.forgetting.guarantee = static_cast<Guarantee>(dice.Below(2));
  return Finish(dice, spec);
}

LinearRun RandomResetRun(Dice& dice) {
  Spec spec = RandomActiveSpec(dice, ActiveVariant::kSecondOrder);
  // Then every minimiser is inside of the ball for certain.
  spec.model.label_bound = std::sqrt(spec.model.lambda) * dice.LogUniform(0.1, 0.9);
  spec.forgetting.active.tolerance = spec.model.lambda * dice.LogUniform(1e-9, 1e-2);
  spec.forgetting.guarantee = static_cast<Guarantee>(dice.Below(2));
  return Finish(dice, spec);
}

}  // namespace lethe::proof
