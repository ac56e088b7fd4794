// What the theorems of certified removal leave out: the density of a removed model, of which the
// determinants are in no budget, and misprints that break a bound.
#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>

#include "engine/spec/accountant.h"
#include "tests/support/reference_data.h"
#include "tests/support/removal_of_one.h"

namespace lethe::testing::removal_density_test {
namespace {

Vector Normals(std::uint64_t seed, Eigen::Index dimension) {
  SplitMix random(seed);
  Vector b(dimension);
  for (double& value : b) value = random.Normal();
  return b;
}

TEST(RemovalDensity, TheDeterminantsAreThoseOfDifferences) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const RemovalOfOne removal(ReferenceData(seed, 60, 4), 0.001);
    const Vector b = Normals(seed, 4);
    const double formula = removal.Formula(b).determinants;
    EXPECT_NEAR(removal.Differences(b), formula, 1e-5 + 1e-4 * std::abs(formula)) << seed;
  }
}

// The largest of 40 draws of b. The kept ones are of other draws, so only their size is compared.
TEST(RemovalDensity, TheDeterminantsHaveTheKeptSize) {
  struct Kept {
    int n;
    double lambda, b, determinants;
  };
  for (const Kept& kept : {Kept{1000, 0.01, 5e-4, 9e-5}, {60, 0.001, 0.40, 0.66}}) {
    const RemovalOfOne removal(ReferenceData(1, kept.n, 20), kept.lambda);
    double by_b = 0, by_determinants = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const auto ratio = removal.Formula(Normals(seed, 20));
      by_b = std::max(by_b, std::abs(ratio.b));
      by_determinants = std::max(by_determinants, std::abs(ratio.determinants));
    }
    std::cout << "n = " << kept.n << ": by b " << by_b << ", by determinants " << by_determinants
              << "\n";
    EXPECT_NEAR(std::log(by_b / kept.b), 0, std::numbers::ln2);
    EXPECT_NEAR(std::log(by_determinants / kept.determinants), 0, std::numbers::ln2);
  }
}

// Theorem 3 (ii), sigma = shift sqrt(2 ln(1.5/delta))/epsilon, promises too much for large epsilon.
TEST(RemovalDensity, TheNoiseOfTheoremThreeFailsFromTheKeptEpsilonOn) {
  struct Kept {
    double delta, epsilon;
  };
  for (const Kept& kept : {Kept{1e-2, 7.2}, {1e-4, 8.4}, {1e-6, 9.1}}) {
    const auto suffices = [&](double epsilon) {
      return removal::Budget(1, epsilon, kept.delta) <= MuOfEpsilonDelta(epsilon, kept.delta);
    };
    EXPECT_TRUE(suffices(kept.epsilon - 0.06)) << kept.delta;
    EXPECT_FALSE(suffices(kept.epsilon + 0.06)) << kept.delta;
  }
  ExpectRelative(1 / removal::Budget(1, 1, 1e-6), 5.3330996, 1e-7);
  ExpectRelative(removal::kThirdDerivative, 0.0962250, 1e-6);
}

// Line 12 of Algorithm 2 prints the Hessian without its regulariser.
TEST(RemovalDensity, WithoutTheRegulariserTheStepIsFarOff) {
  const RemovalOfOne removal(ReferenceData(1, 1000, 20), 0.01);
  const Vector w = removal.Train(Vector::Zero(20));
  const auto step = removal.Step(w);
  const Eigen::MatrixXd printed =
      removal.retained().Hessian(w) - 0.01 * 999 * Eigen::MatrixXd::Identity(20, 20);
  const Vector far = w + printed.llt().solve(step.gradient);
  EXPECT_NEAR(step.gradient.norm(), 0.57, 5e-3);
  EXPECT_NEAR(removal.retained().Gradient(far).norm(), 0.499, 5e-4);
  EXPECT_NEAR(removal.retained().Gradient(w + step.s).norm(), 2.2e-4, 5e-6);
}

// Theorem 1 forgets that b moves the model: b = -500 on 50 events in one dimension.
TEST(RemovalDensity, ALargePerturbationPassesTheWorstCase) {
  const double bound = removal::WorstCaseBound(50, 7.6, 1);
  EXPECT_NEAR(bound, 3.53e-4, 5e-7);
  const Vector b = Vector::Constant(1, -500);
  const std::vector<Example> data(50, Example{Vector::Constant(1, 1), 1});
  const RemovalOfOne removal(data, 7.6);
  const double residual = (removal.retained().Gradient(removal.Removed(b)) + b).norm();
  EXPECT_NEAR(residual, 1.63e-3, 5e-6);
}

}  // namespace
}  // namespace lethe::testing::removal_density_test
