// What one draw must cover is written down here once more, independently: the influence of what is
// deleted or the diameter of the ball, whichever is less, the round-off so far, and the rounding of
// the model to the grid of this very draw, at the share of the budget that the split gives it. For
// every budget that a plan accepts.
#include <algorithm>
#include <cmath>
#include <iostream>

#include <gtest/gtest.h>

#include "engine/privacy/noise.h"
#include "engine/spec/split.h"
#include "tests/support/proof_plants.h"
#include "tests/support/proof_random.h"

namespace lethe::proof::draw_test {
namespace {

struct Need {
  double mu, dimension;
  double covered;  // by the draw / what it must cover
};

// One deletion under a random plan; covered is 1 or more, or infinite if the plan was refused.
Need RandomDeletion(Dice& dice) {
  Spec spec = LogisticSpec(dice.LogUniform(1e-3, 1), dice.LogUniform(1e-4, 1),
                           dice.LogUniform(0.1, 100), dice.LogUniform(1e-9, 100));
  spec.model.dimension = static_cast<std::int64_t>(dice.LogUniform(1, 1000));
  spec.forgetting.split = static_cast<Split>(dice.Below(3));
  Need need{*spec.forgetting.budget.mu, static_cast<double>(spec.model.dimension), HUGE_VAL};
  const auto plan = Plan::Make(spec);
  if (!plan.ok()) return need;
  Script script(spec);
  const Vector x = Vector::Unit(static_cast<Eigen::Index>(spec.model.dimension), 0);
  script.LearnMany(1 + dice.Below(300), x, 1);
  script.Forget({0});
  const double sigma = script.Sigmas()[0];
  OnlineRun run = script.NewRun();
  while (run.ledger().steps() < script.requests()[0].after) run.Skip();
  const double rho = plan.value().promise.rho;
  const double share =
      spec.forgetting.split == Split::kCurve
          ? rho
          : SplitShare(spec.forgetting.split, rho, 1, spec.learning.horizon.deletions);
  // Two worlds' coordinates are rounded by half a grid step each; within the ball, by no more
  // than its diameter.
  const double rounding = std::min(
      std::sqrt(need.dimension) * GridSpacing(sigma, spec.model.radius), 2 * spec.model.radius);
  need.covered = sigma * std::sqrt(2 * share) /
                 (std::min(run.ledger().Influence({0}), 2 * spec.model.radius) +
                  run.ledger().RoundOff() + rounding);
  return need;
}

TEST(Draw, CoversInfluenceRoundOffAndGrid) {
  Need worst{0, 0, HUGE_VAL};
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Dice dice(seed);
    const Need need = RandomDeletion(dice);
    if (need.covered < worst.covered) worst = need;
  }
  std::cout << "[ draw     ] covered/needed at least " << worst.covered << ", at mu " << worst.mu
            << " and dimension " << worst.dimension << std::endl;
  EXPECT_GE(worst.covered, 1);
}

}  // namespace
}  // namespace lethe::proof::draw_test
