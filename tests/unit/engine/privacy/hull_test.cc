// The hull against every way to absorb the shifts, and at scales where sums of doubles lose digits.

#include "engine/privacy/hull.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/proof_random.h"

namespace lethe::hull_test {
namespace {

using proof::Dice;
using Real = long double;
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Point {
  double noise;
  double shift;
};

// The quadratic program of docs/guarantee.md, section 4, by trying every set of tight constraints:
// between two tight ones the shift is absorbed in proportion to the noise.
Real BruteForce(const std::vector<Point>& points) {
  const std::size_t n = points.size();
  std::vector<Real> noise{0}, shift{0};
  for (const Point& p : points) {
    noise.push_back(noise.back() + p.noise);
    shift.push_back(shift.back() + p.shift);
  }
  Real best = kInf;
  for (std::size_t tight = 0; tight < (std::size_t{1} << (n - 1)); ++tight) {
    Real cost = 0;
    bool feasible = true;
    std::size_t from = 0;
    for (std::size_t j = 1; j <= n && feasible; ++j) {
      if (j < n && (tight >> (j - 1) & 1) == 0) continue;
      const Real run = noise[j] - noise[from], rise = shift[j] - shift[from];
      feasible = run > 0 || rise == 0;
      if (run > 0) cost += rise * rise / run / 2;
      for (std::size_t i = from + 1; i < j && run > 0; ++i) {
        const Real absorbed = shift[from] + rise * ((noise[i] - noise[from]) / run);
        feasible = feasible && absorbed <= shift[i] * (1 + 1e-15L);
      }
      from = j;
    }
    if (feasible && cost < best) best = cost;
  }
  return best;
}

double HullCost(const std::vector<Point>& points) {
  LowerHull hull;
  for (std::size_t j = 0; j + 1 < points.size(); ++j) hull.Add(points[j].noise, points[j].shift);
  return hull.CostWith(points.back().noise, points.back().shift);
}

TEST(HullTest, ShiftWithoutNoiseCostsInfinitelyMuch) {
  EXPECT_EQ(LowerHull().CostWith(0, 1), kInf);
  LowerHull hull;
  hull.Add(4, 1);
  EXPECT_EQ(hull.CostWith(0, 1), kInf);
}

TEST(HullTest, NothingToAbsorbCostsNothing) {
  EXPECT_EQ(LowerHull().CostWith(0, 0), 0);
  EXPECT_EQ(LowerHull().CostWith(1, 0), 0);
  LowerHull hull;
  hull.Add(1, 0);
  hull.Add(2, 0);
  EXPECT_EQ(hull.CostWith(3, 0), 0);
}

TEST(HullTest, OneDrawCostsItsShiftSquaredOverTwiceItsVariance) {
  EXPECT_DOUBLE_EQ(LowerHull().CostWith(4, 3), 9.0 / 8);
}

TEST(HullTest, LaterNoiseHelpsEarlierShiftButNotTheOtherWay) {
  LowerHull early;  // all shift before both draws: they share it
  early.Add(1, 2);
  EXPECT_DOUBLE_EQ(early.CostWith(3, 0), 4.0 / 8);
  LowerHull late;  // all shift after the first draw, which is of no use
  late.Add(1, 0);
  EXPECT_DOUBLE_EQ(late.CostWith(3, 2), 4.0 / 6);
}

TEST(HullTest, ShiftOfADrawWithoutVarianceMovesOn) {
  LowerHull hull;
  hull.Add(0, 2);
  EXPECT_EQ(hull.pending(), 2);
  EXPECT_DOUBLE_EQ(hull.CostWith(2, 1), 9.0 / 4);
  hull.Add(2, 1);
  EXPECT_EQ(hull.pending(), 0);
}

TEST(HullTest, MatchesTheQuadraticProgramOnRandomCases) {
  Dice dice(9);
  for (int i = 0; i < 30'000; ++i) {
    std::vector<Point> points(static_cast<std::size_t>(1 + dice.Below(8)));
    const double spread = dice.Chance(0.5) ? 1 : 3;
    for (Point& p : points) {
      p.noise = dice.Chance(0.1) ? 0 : dice.LogUniform(std::pow(10, -spread), std::pow(10, spread));
      p.shift = dice.Chance(0.2) ? 0 : dice.LogUniform(std::pow(10, -spread), std::pow(10, spread));
    }
    const auto expected = static_cast<double>(BruteForce(points));
    const double cost = HullCost(points);
    if (std::isinf(expected)) {
      ASSERT_EQ(cost, expected) << i;
    } else {
      ASSERT_NEAR(cost, expected, 1e-12 * expected) << i;
    }
  }
}

TEST(HullTest, EqualSlopesInARowCostLikeOneEdge) {
  LowerHull hull;
  for (int i = 0; i < 1000; ++i) hull.Add(0.25, 0.125);
  EXPECT_NEAR(hull.CostWith(0.25, 0.125), 1001 * 0.125 * 0.5 / 2, 1e-10);
}

// A small draw after a large one: its own variance counts, and not what is left of it after it was
// added to the large one's.
TEST(HullTest, SmallVarianceAfterLargeOneIsNotRounded) {
  for (const double noise : {0.8e-14, 1.3e-14, 1e-20, 1e-200}) {
    LowerHull hull;
    hull.Add(100, 0);
    const double shift = std::sqrt(noise);
    EXPECT_NEAR(hull.CostWith(noise, shift), 0.5, 1e-12) << noise;
    hull.Add(noise, shift);
    EXPECT_NEAR(hull.CostWith(noise, shift), 1, 1e-12) << noise;
    EXPECT_EQ(hull.CostWith(0, shift), kInf) << noise;
  }
}

TEST(HullTest, CostFallsAsTheLastDrawGrows) {
  Dice dice(10);
  LowerHull hull;
  for (int i = 0; i < 300; ++i) hull.Add(dice.LogUniform(1e-6, 1), dice.LogUniform(1e-6, 1));
  double before = kInf;
  for (double noise = 1e-8; noise < 1e6; noise *= 1.5) {
    const double cost = hull.CostWith(noise, 0.5);
    EXPECT_LE(cost, before * (1 + 1e-14));
    before = cost;
  }
  EXPECT_LT(before, 0.1);
}

}  // namespace
}  // namespace lethe::hull_test
