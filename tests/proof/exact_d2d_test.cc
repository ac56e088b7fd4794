// Exact, descent-to-delete: with squared loss and the minimisers inside of the ball every descent
// is an affine map of the model, so the laws of both worlds have a closed form.
#include <iostream>

#include <gtest/gtest.h>

#include "tests/support/proof_erm.h"
#include "tests/support/proof_tally.h"

namespace lethe::proof::exact_d2d_test {
namespace {

constexpr double kOrders[] = {1.001, 1.5, 2, 4, 8, 16, 32};

auto Steps(const Script& script) {
  return [&script](std::optional<std::size_t>, bool is_first) {
    return D2dSteps(script.plan(), is_first);
  };
}

TEST(ExactD2d, PerfectIsBelowItsCertificate) {
  Tally tally;
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Dice dice(seed);
    const LinearRun run{RandomErmScript(dice, RandomErmSpec(dice, "d2d_perfect")), {}};
    const std::vector<double> sigmas = run.script.Sigmas();
    for (std::size_t i = 0; i < sigmas.size(); ++i) {
      const Eigen::Index d = run.script.events()[0].x.size();
      GaussianWorld learned(d), blank(d);
      const auto play = [&](GaussianWorld& world) {
        return ErmPlay{Steps(run.script), [&](std::optional<std::size_t> request) {
                         if (request) world.Draw(sigmas[*request]);
                       }};
      };
      PlayErm(run.script, {}, i, learned, play(learned));
      PlayErm(run.script, run.script.Blank(i), i, blank, play(blank));
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
    const Script script = RandomErmScript(dice, RandomErmSpec(dice, "d2d_strong"));
    const std::vector<double> sigmas = script.Sigmas();
    const std::size_t last = sigmas.size() - 1;
    const Eigen::Index d = script.events()[0].x.size();
    const auto copies = [&](const std::vector<bool>& blank) {
      std::vector<std::pair<std::optional<std::size_t>, GaussianWorld::RealVector>> all;
      GaussianWorld world(d);
      PlayErm(script, blank, last, world, {Steps(script), [&](std::optional<std::size_t> request) {
                                             all.emplace_back(request, world.mean());
                                           }});
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
}  // namespace lethe::proof::exact_d2d_test
