// Online DP by tree aggregation: kept numbers, the law of its noise, and the exact divergence.
#include <cmath>
#include <iostream>
#include <map>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "engine/modes/papers/tree_sums.h"
#include "engine/spec/loss.h"
#include "tests/support/mode_fixture.h"
#include "tests/support/passive_spec.h"
#include "tests/support/reference_data.h"

namespace lethe::testing::tree_test {
namespace {

struct Kept {
  int n;
  double z, loss;
  std::int64_t levels;
  double sigma;
};

class OnlineDp : public ModeFixture {};

TEST_F(OnlineDp, WithoutNoiseReproducesTheKeptLeader) {
  for (const Kept& kept : {Kept{1000, 0.220385713849, 0.6637320442, 10, 14.327891},
                           {5000, 0.160941841196, 0.6669080043, 13, 16.336310},
                           {20000, 0.160791479603, 0.6666879546, 15, 17.548012}}) {
    Spec spec = PassiveSpec();
    spec.model.dimension = 20;
    spec.forgetting.mode = "online_dp";
    spec.forgetting.online_dp.events = kept.n;
    spec.noise.source = NoiseKind::kDisabled;
    Start(spec, PlainLogistic(0.05, 20));
    const Loss loss(LossKind::kLogistic);
    double total = 0;
    const auto data = ReferenceData(1, kept.n, 20);
    for (const Example& example : data) total += loss.Value(mode_->Learn(example).score, example.y);
    EXPECT_NEAR(mode_->model()[0], kept.z, 1e-9);
    EXPECT_NEAR(total / kept.n, kept.loss, 1e-9);
    // The kept noise is for rho = 0.0243559704.
    const TreeSums tree(20, 1, 1 / std::sqrt(2 * 0.0243559704), kept.n);
    EXPECT_EQ(tree.LevelsAt(1), kept.levels);
    EXPECT_NEAR(tree.SigmaAt(1), kept.sigma, 1e-5);
    if (kept.n != 20000) continue;
    const TreeSums of_hundred(20, 1, 100 / std::sqrt(2 * 0.0243559704), kept.n);
    EXPECT_NEAR(of_hundred.SigmaAt(1), 1755, 0.5);
  }
}

// Which nodes the prefix of t events is made of, from the definition and not from the product: the
// tree of t and those before it, each a sum over the set bits of how far it is filled.
using Nodes = std::vector<std::pair<int, std::int64_t>>;  // (level, first event)
Nodes NodesOf(std::int64_t t, std::int64_t events) {
  Nodes nodes;
  for (std::int64_t first = 1; first <= t;) {
    const std::int64_t size = events > 0 ? events : first;
    const std::int64_t filled = std::min(size, t - first + 1);
    std::int64_t at = first;
    for (int level = 40; level >= 0; --level) {
      if ((filled >> level & 1) == 0) continue;
      nodes.emplace_back(level, at);
      at += std::int64_t{1} << level;
    }
    first += size;
  }
  return nodes;
}

// Covariances of all prefixes in units of one variance a tree, and the number of levels.
struct Exact {
  Eigen::MatrixXd covariance;
  Exact(std::int64_t T, std::int64_t events, const TreeSums& tree)
      : covariance(Eigen::MatrixXd::Zero(T, T)) {
    std::map<std::pair<int, std::int64_t>, std::vector<std::int64_t>> in;
    for (std::int64_t t = 1; t <= T; ++t) {
      for (const auto& node : NodesOf(t, events)) in[node].push_back(t);
    }
    for (const auto& [node, times] : in) {
      const double variance = std::pow(tree.SigmaAt(node.second), 2);
      for (const std::int64_t a : times) {
        for (const std::int64_t b : times) covariance(a - 1, b - 1) += variance;
      }
    }
  }
  // |shift|^2 in units of the noise, when these events are deleted, each of norm 1.
  double Divergence(const std::vector<std::int64_t>& deleted) const {
    Vector shift = Vector::Zero(covariance.rows());
    for (const std::int64_t u : deleted) shift.tail(covariance.rows() - u + 1).array() += 1;
    return shift.dot(covariance.llt().solve(shift));
  }
};

double NodeSum(const std::vector<std::int64_t>& deleted, const TreeSums& tree) {
  DeletedLeaves leaves;
  for (const std::int64_t u : deleted) leaves.Add(u, tree);
  return 2 * leaves.rho();
}

TEST(Tree, TheExactDivergenceOfOneEventIsItsLevels) {
  for (const std::int64_t T : {16, 64, 100, 256}) {
    const TreeSums tree(1, 1, 1e3, T);
    const Exact exact(T, T, tree);
    const double unit = std::pow(tree.SigmaAt(1), 2);
    double most = 0, least = HUGE_VAL;
    for (std::int64_t u = 1; u <= T; ++u) {
      const double divergence = exact.Divergence({u}) * unit;
      most = std::max(most, divergence);
      least = std::min(least, divergence);
      EXPECT_LE(divergence, NodeSum({u}, tree) * unit);
    }
    EXPECT_NEAR(most, static_cast<double>(tree.LevelsAt(1)), 1e-9) << T;
    EXPECT_NEAR(least, 1, 1e-9) << T;
  }
  const TreeSums tree(1, 1, 1e3, 64);
  const double unit = std::pow(tree.SigmaAt(1), 2);
  const std::vector<std::int64_t> first = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_NEAR(Exact(64, 64, tree).Divergence(first) * unit, 284, 1);
  EXPECT_NEAR(NodeSum(first, tree) * unit, 312, 0.1);
  EXPECT_EQ(8 * 8 * tree.LevelsAt(1), 448);
}

TEST(Tree, TheNodeSumIsAboveTheExactDivergence) {
  double worst = 0;
  int cases = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    proof::Dice dice(seed);
    const std::int64_t T = 2 + dice.Below(60);
    const std::int64_t events = dice.Chance(0.5) ? 0 : 1 + dice.Below(T);
    const TreeSums tree(1, 1, 1e3, events);
    const Exact exact(T, events, tree);
    for (int i = 0; i < 50; ++i, ++cases) {
      std::vector<std::int64_t> deleted;
      const double share = dice.Uniform();
      for (std::int64_t u = 1; u <= T; ++u) {
        if (dice.Chance(share)) deleted.push_back(u);
      }
      if (deleted.empty()) deleted = {1};
      const double ratio = exact.Divergence(deleted) / NodeSum(deleted, tree);
      ASSERT_LE(ratio, 1) << "seed " << seed;
      worst = std::max(worst, ratio);
    }
  }
  std::cout << "[ exact    ] online_dp: " << cases
            << " sets of deleted events, worst exact/promised " << worst << std::endl;
  EXPECT_GE(worst, 0.99);
}

// The product's prefixes have that covariance: many coordinates are many draws.
TEST(Tree, PrefixesAreSumsOfTheRightNodes) {
  constexpr Eigen::Index kDraws = 20000;
  for (const std::int64_t events : {0, 11}) {
    TreeSums tree(kDraws, 1, 3, events);
    proof::KeyedRandom random(5);
    std::uint64_t draws = 0;
    std::vector<Vector> noise;
    for (int t = 0; t < 24; ++t) {
      tree.Add(Vector::Zero(kDraws), {0}, &random, draws);
      noise.push_back(tree.prefix());
    }
    const Exact exact(24, events, tree);
    for (Eigen::Index a = 0; a < 24; ++a) {
      for (Eigen::Index b = 0; b <= a; ++b) {
        const double seen =
            noise[static_cast<std::size_t>(a)].dot(noise[static_cast<std::size_t>(b)]) / kDraws;
        const double scale = std::sqrt(exact.covariance(a, a) * exact.covariance(b, b));
        EXPECT_NEAR(seen / scale, exact.covariance(a, b) / scale, 0.05) << a << " " << b;
      }
    }
  }
}

TEST_F(OnlineDp, IsCertifiedForAsManyDeletionsAsPlanned) {
  for (const std::int64_t planned : {1, 3}) {
    Spec spec = PassiveSpec();
    spec.model.dimension = 2;
    spec.forgetting.mode = "online_dp";
    spec.forgetting.online_dp.deletions = planned;
    const Plan plan = Plan::Make(spec).value();
    EXPECT_TRUE(plan.AllowsAdaptiveRequests());
    Start(spec, plan.constants);
    for (int i = 0; i < 40; ++i) mode_->Learn({Vector::Constant(2, 0.5), 1});
    // Neighbours share the most nodes: planned are that many, and one more is too many.
    std::int64_t certified = 0;
    for (std::int64_t i = 15; i < 20; ++i) {
      const Target target{{i}, {}};
      mode_->Release({&target, 1});
      if (mode_->Forget({&target, 1}).value().why_not == nullptr) ++certified;
    }
    EXPECT_GE(certified, planned);
    EXPECT_LT(certified, 5);
  }
}

}  // namespace
}  // namespace lethe::testing::tree_test
