#include "tests/support/proof_erm.h"

#include "engine/modes/papers/d2d.h"

namespace lethe::proof {

Spec RandomErmSpec(Dice& dice, const char* mode) {
  Spec spec = RandomActiveSpec(dice, ActiveVariant::kLedger);
  spec.model.lambda = spec.model.feature_norm * spec.model.feature_norm * dice.LogUniform(2, 50);
  spec.model.label_bound =
      0.5 * spec.model.lambda / spec.model.feature_norm * dice.LogUniform(0.1, 1);
  spec.forgetting.mode = mode;
  spec.forgetting.guarantee = static_cast<Guarantee>(dice.Below(2));
  spec.forgetting.erm = {
      .warmup = 20 + dice.Below(30), .refit_every = 1 + dice.Below(20), .steps = 1 + dice.Below(3)};
  return spec;
}

Script RandomErmScript(Dice& dice, const Spec& spec) {
  Script script(spec);
  const auto d = static_cast<Eigen::Index>(spec.model.dimension);
  const Vector x = dice.Direction(d, spec.model.feature_norm);
  std::vector<std::int64_t> later;
  for (std::int64_t left = 60 + dice.Below(60); left > 0; --left) {
    const bool odd = dice.Chance(0.15);
    const std::int64_t index =
        script.Learn(dice.Chance(0.7) ? x : dice.Direction(d, spec.model.feature_norm),
                     odd ? spec.model.label_bound : -spec.model.label_bound,
                     static_cast<std::uint64_t>(dice.Below(3)));
    if (odd) later.push_back(index);
    if (later.empty() || !(left == 1 || dice.Chance(0.1))) continue;
    const auto next = later.begin() + dice.Below(static_cast<std::int64_t>(later.size()));
    script.Forget({*next});
    later.erase(next);
  }
  if (script.requests().empty()) script.Forget({0});
  return script;
}

void PlayErm(const Script& script, const std::vector<bool>& blank, std::size_t last,
             GaussianWorld& world, const ErmPlay& play) {
  const Plan& plan = script.plan();
  const ErmSpec& erm = plan.spec.forgetting.erm;
  const Constants& c = plan.constants;
  const auto descend = [&](std::int64_t learned, std::size_t served, std::int64_t steps) {
    std::vector<Example> stored;
    for (std::size_t k = 0; k < static_cast<std::size_t>(learned); ++k) {
      bool is_stored = blank.empty() || !blank[k];
      for (std::size_t i = 0; i < served; ++i) {
        for (const Target& target : script.requests()[i].batch) {
          is_stored = is_stored && target.index.value != static_cast<std::int64_t>(k);
        }
      }
      if (is_stored) stored.push_back(script.events()[k]);
    }
    for (; steps > 0; --steps) {
      world.Descend(stored, c.max_step(), c.mu, 1);
      play.on_step(stored.size());
    }
  };
  std::int64_t learned = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    for (; learned < script.requests()[i].after;) {
      const std::int64_t since = ++learned - erm.warmup;
      if (since < 0 || since % erm.refit_every != 0) continue;
      descend(learned, i, play.steps({}, since == 0));
      play.published({});
    }
    if (learned >= erm.warmup) descend(learned, i + 1, play.steps(i, false));
    play.published(i);
  }
}

std::int64_t D2dSteps(const Plan& plan, bool is_first) {
  const ErmSpec& erm = plan.spec.forgetting.erm;
  return is_first ? d2d::TrainingSteps(plan.constants, static_cast<double>(erm.warmup), erm.steps)
                  : erm.steps;
}

}  // namespace lethe::proof
