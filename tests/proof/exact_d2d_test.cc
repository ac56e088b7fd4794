// Exact, descent-to-delete: with squared loss and the minimisers inside of the ball every descent
// is an affine map of the model, so the laws of both worlds have a closed form.
#include <iostream>

#include <gtest/gtest.h>

#include "engine/modes/d2d.h"
#include "tests/support/proof_linear.h"
#include "tests/support/proof_tally.h"

namespace lethe::proof {
namespace {

constexpr double kOrders[] = {1.001, 1.5, 2, 4, 8, 16, 32};

Spec RandomD2dSpec(Dice& dice, const char* mode) {
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

// Most events pull one way; those that are deleted the other.
Script RandomD2dScript(Dice& dice, const Spec& spec) {
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

// Plays the mode's descents in the world with these blank events. `published(request)` is called
// at each public time; the request is none at a refit.
template <typename Published>
void Play(const Script& script, const std::vector<bool>& blank, std::size_t last,
          GaussianWorld& world, Published published) {
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
    world.Descend(stored, c.max_step(), c.mu, steps);
  };
  std::int64_t learned = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    for (; learned < script.requests()[i].after;) {
      const std::int64_t since = ++learned - erm.warmup;
      if (since < 0 || since % erm.refit_every != 0) continue;
      descend(
          learned, i,
          since == 0 ? d2d::TrainingSteps(c, static_cast<double>(learned), erm.steps) : erm.steps);
      published(std::optional<std::size_t>());
    }
    if (learned >= erm.warmup) descend(learned, i + 1, erm.steps);
    published(std::optional<std::size_t>(i));
  }
}

TEST(ExactD2d, PerfectIsBelowItsCertificate) {
  Tally tally;
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    const LinearRun run{RandomD2dScript(dice, RandomD2dSpec(dice, "d2d_perfect")), {}};
    const std::vector<double> sigmas = run.script.Sigmas();
    for (std::size_t i = 0; i < sigmas.size(); ++i) {
      const Eigen::Index d = run.script.events()[0].x.size();
      GaussianWorld learned(d), blank(d);
      const auto draw = [&](GaussianWorld& world) {
        return [&](std::optional<std::size_t> request) {
          if (request) world.Draw(sigmas[*request]);
        };
      };
      Play(run.script, {}, i, learned, draw(learned));
      Play(run.script, run.script.Blank(i), i, blank, draw(blank));
      const double ratio = ExactRho(learned, blank, kOrders) / run.script.plan().promise.rho;
      ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed << ", request " << i;
      worst = std::max(worst, ratio);
    }
  }
  std::cout << "[ exact    ] d2d_perfect: worst exact/promised " << worst << std::endl;
  EXPECT_GE(worst, 0.5);
}

// All copies of the secret model from a deletion on, together: their noises are independent, so the
// divergences add up.
TEST(ExactD2d, AllLaterCopiesOfStrongTogetherAreBelowItsCertificate) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    const Script script = RandomD2dScript(dice, RandomD2dSpec(dice, "d2d_strong"));
    const std::vector<double> sigmas = script.Sigmas();
    const std::size_t last = sigmas.size() - 1;
    const Eigen::Index d = script.events()[0].x.size();
    const auto copies = [&](const std::vector<bool>& blank) {
      std::vector<std::pair<std::optional<std::size_t>, GaussianWorld::RealVector>> all;
      GaussianWorld world(d);
      Play(script, blank, last, world,
           [&](std::optional<std::size_t> request) { all.emplace_back(request, world.mean()); });
      return all;
    };
    const auto learned = copies({});
    for (std::size_t i = 0; i <= last; ++i) {
      const auto blank = copies(script.Blank(i));
      GaussianWorld::Real rho = 0;
      bool counts = false;
      double sigma = 0;
      for (std::size_t k = 0; k < learned.size(); ++k) {
        if (learned[k].first) sigma = sigmas[*learned[k].first];
        counts = counts || learned[k].first == i;
        if (!counts || sigma == 0) continue;
        rho += (learned[k].second - blank[k].second).squaredNorm() / (2 * sigma * sigma);
      }
      const double ratio = static_cast<double>(rho) / script.plan().promise.rho;
      ASSERT_LE(ratio, 1 + kSlack) << "seed " << seed << ", request " << i;
      worst = std::max(worst, ratio);
    }
  }
  std::cout << "[ exact    ] d2d_strong: worst exact/promised " << worst << std::endl;
  EXPECT_GE(worst, 0.3);
}

}  // namespace
}  // namespace lethe::proof
