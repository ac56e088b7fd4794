// The elementary functions against the C library's in extended precision, on random arguments and
// on the hard ones.

#include "engine/base/elementary.h"

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "engine/base/log_table.h"
#include "tests/support/proof_random.h"

namespace lethe::elementary::elementary_test {
namespace {

using Real = long double;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");
constexpr int kTries = 1'000'000;

// The error in units of the last place of the exact result.
double Error(double got, Real exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int last = std::max(exponent - 53, -1074);
  return static_cast<double>(std::fabs(std::ldexp(static_cast<Real>(got) - exact, -last)));
}

// The largest error seen. A NaN counts as an infinite one.
class Worst {
 public:
  void See(double error) {
    worst_ = error <= worst_ ? worst_ : std::isnan(error) ? kInfinity : error;
  }
  double get() const { return worst_; }

 private:
  double worst_ = 0;
};

// A number between the powers 2^low and 2^high in absolute value, of either sign.
double Scaled(proof::Dice& dice, double low, double high) {
  const double size = std::exp2(dice.Uniform(low, high));
  return dice.Below(2) == 0 ? size : -size;
}

TEST(ElementaryTest, ExpIsWithinItsError) {
  proof::Dice dice(1);
  Worst normal, small;
  for (int i = 0; i < kTries; ++i) {
    for (const double x : {Scaled(dice, -60, 9.45), 709.7 - 0x1p-40 * dice.Below(1 << 20),
                           -40 * dice.Uniform(), -708 * dice.Uniform(), 709 * dice.Uniform()}) {
      normal.See(Error(Exp(x), std::exp(static_cast<Real>(x))));
    }
    const double x = -708 - 38 * dice.Uniform();
    small.See(Error(Exp(x), std::exp(static_cast<Real>(x))));
  }
  EXPECT_LT(normal.get(), 0.52);
  EXPECT_LT(small.get(), 1);
}

TEST(ElementaryTest, ExpIsMonotone) {
  // At both sides of each border between two entries of the table, and of the range.
  const Real step = std::numbers::ln2_v<Real> / kExpSteps;
  for (int k = -131'500; k < 131'500; ++k) {
    auto x = static_cast<double>((k + 0.5L) * step);
    for (int i = 0; i < 3; ++i) x = std::nextafter(x, -kInfinity);
    double before = 0;
    for (int i = 0; i < 7; ++i, x = std::nextafter(x, kInfinity)) {
      const double now = Exp(x);
      ASSERT_GE(now, before) << x;
      before = now;
    }
  }
  proof::Dice dice(2);
  for (int i = 0; i < kTries; ++i) {
    const double x = Scaled(dice, -20, 9.5);
    ASSERT_LE(Exp(std::nextafter(x, -kInfinity)), Exp(x)) << x;
  }
  for (const double x : {kExpRange, -kExpRange}) {
    ASSERT_LE(Exp(std::nextafter(x, -kInfinity)), Exp(x));
    ASSERT_LE(Exp(x), Exp(std::nextafter(x, kInfinity)));
  }
}

TEST(ElementaryTest, ExpAtTheEnds) {
  EXPECT_EQ(Exp(0), 1);
  EXPECT_EQ(Exp(-0.0), 1);
  EXPECT_EQ(Exp(DBL_TRUE_MIN), 1);
  EXPECT_EQ(Exp(-DBL_MIN), 1);
  EXPECT_EQ(Exp(kInfinity), kInfinity);
  EXPECT_EQ(Exp(-kInfinity), 0);
  EXPECT_TRUE(std::isnan(Exp(kNaN)));
  EXPECT_TRUE(std::isfinite(Exp(0x1.62e42fefa39efp+9)));
  EXPECT_EQ(Exp(0x1.62e42fefa39f0p+9), kInfinity);
  EXPECT_EQ(Exp(-0x1.74910d52d3051p+9), DBL_TRUE_MIN);
  EXPECT_EQ(Exp(-0x1.74910d52d3052p+9), 0);
  EXPECT_EQ(Exp(-1e300), 0);
}

TEST(ElementaryTest, LogIsWithinItsError) {
  proof::Dice dice(3);
  Worst worst;
  const auto see = [&](double x) { worst.See(Error(Log(x), std::log(static_cast<Real>(x)))); };
  for (int i = 0; i < kTries; ++i) {
    see(std::fabs(Scaled(dice, -1074, 1023.9)));
    see(0.5 + 1.5 * dice.Uniform());
    see(1 + Scaled(dice, -52, -1));
  }
  // Neighbours of the borders between parts of the table, and of powers of two.
  for (int i = 0; i < 128; ++i) {
    double x = std::bit_cast<double>(0x3fe6800000000000 + (static_cast<std::uint64_t>(i) << 45));
    x = std::nextafter(std::nextafter(x, 0), 0);
    for (int j = 0; j < 5; ++j, x = std::nextafter(x, 2)) see(x);
  }
  for (int k = -1074; k < 1024; ++k) {
    const double x = std::ldexp(1.0, k);
    for (const double near : {x, std::nextafter(x, kInfinity), std::nextafter(x, 0.0)}) {
      if (near > 0) see(near);
    }
  }
  EXPECT_LT(worst.get(), 0.52);
}

TEST(ElementaryTest, LogAtTheEnds) {
  EXPECT_EQ(Log(1), 0);
  EXPECT_EQ(Log(0), -kInfinity);
  EXPECT_EQ(Log(-0.0), -kInfinity);
  EXPECT_EQ(Log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(Log(-1)));
  EXPECT_TRUE(std::isnan(Log(-kInfinity)));
  EXPECT_TRUE(std::isnan(Log(kNaN)));
}

TEST(ElementaryTest, Log1pIsWithinItsError) {
  proof::Dice dice(4);
  Worst worst;
  const auto see = [&](double x) {
    if (x > -1) worst.See(Error(Log1p(x), std::log1p(static_cast<Real>(x))));
  };
  for (int i = 0; i < kTries; ++i) {
    see(Scaled(dice, -60, 0));
    see(std::fabs(Scaled(dice, 0, 1000)));
    see(-1 + std::fabs(Scaled(dice, -53, 0)));
    see(-dice.Uniform());
  }
  for (const double x : {DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MIN, 0x1p-19, -0x1p-19, DBL_MAX}) see(x);
  EXPECT_LT(worst.get(), 0.52);
  EXPECT_EQ(Log1p(0), 0);
  EXPECT_EQ(Log1p(-1), -kInfinity);
  EXPECT_EQ(Log1p(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(Log1p(-1.5)));
  EXPECT_TRUE(std::isnan(Log1p(kNaN)));
}

TEST(ElementaryTest, PowIsWithinItsError) {
  proof::Dice dice(5);
  Worst normal, small;
  const auto see = [&](double x, double y) {
    const Real exact = std::pow(static_cast<Real>(x), static_cast<Real>(y));
    if (exact > DBL_MAX || exact < DBL_TRUE_MIN) return;
    (exact < DBL_MIN ? small : normal).See(Error(Pow(x, y), exact));
  };
  for (int i = 0; i < kTries; ++i) {
    const double x = std::fabs(Scaled(dice, -1070, 1023));
    see(x, (2 * dice.Uniform() - 1) * 1074 / std::fabs(std::log2(x)));
    see(1 + Scaled(dice, -50, -1), Scaled(dice, -10, 40));
    see(1 + static_cast<double>(dice.Below(1'000'000)), -1.2);
  }
  EXPECT_LT(normal.get(), 0.6);
  EXPECT_LT(small.get(), 1);
  EXPECT_EQ(Pow(3, 4), 81);
  EXPECT_EQ(Pow(0, 0), 1);
  EXPECT_EQ(Pow(0, 2), 0);
  EXPECT_EQ(Pow(0, -2), kInfinity);
  EXPECT_EQ(Pow(kInfinity, 2), kInfinity);
  EXPECT_EQ(Pow(kInfinity, -2), 0);
  EXPECT_EQ(Pow(0.5, kInfinity), 0);
  EXPECT_EQ(Pow(0.5, 1e300), 0);
  EXPECT_EQ(Pow(1, 1e300), 1);
  EXPECT_EQ(Pow(2, 1024), kInfinity);
  EXPECT_EQ(Pow(2, -1074), DBL_TRUE_MIN);
  EXPECT_TRUE(std::isnan(Pow(-2, 2)));
  EXPECT_TRUE(std::isnan(Pow(kNaN, 2)));
}

TEST(ElementaryTest, SinesAndCosinesAreWithinTheirError) {
  proof::Dice dice(6);
  Worst worst;
  const auto see = [&](double turns) {
    const Real quarters = std::round(4 * static_cast<Real>(turns));
    const Real angle = 2 * std::numbers::pi_v<Real> * (static_cast<Real>(turns) - quarters / 4);
    Real sin = std::sin(angle), cos = std::cos(angle);
    for (int i = static_cast<int>(std::fmod(std::fmod(quarters, 4) + 4, 4)); i > 0; --i) {
      std::swap(sin, cos);
      cos = -cos;
    }
    const Angle got = SinCosOfTurns(turns);
    if (sin != 0) worst.See(Error(got.sin, sin));
    if (cos != 0) worst.See(Error(got.cos, cos));
  };
  for (int i = 0; i < kTries; ++i) {
    see(dice.Uniform());
    see(Scaled(dice, -60, 20));
    see(0.25 * static_cast<double>(dice.Below(5)) + Scaled(dice, -53, -3));
  }
  EXPECT_LT(worst.get(), 1.5);
  EXPECT_EQ(SinCosOfTurns(0.25).sin, 1);
  EXPECT_EQ(SinCosOfTurns(0.25).cos, 0);
  EXPECT_EQ(SinCosOfTurns(1).cos, 1);
  EXPECT_EQ(SinCosOfTurns(1e300).cos, 1);
  EXPECT_TRUE(std::isnan(SinCosOfTurns(kInfinity).sin));
}

TEST(ElementaryTest, FunctionsForLoopsAreWithinTheirError) {
  proof::Dice dice(7);
  Worst absolute, relative;
  for (int i = 0; i < kTries; ++i) {
    for (const double x : {dice.Uniform(), std::fabs(Scaled(dice, -60, 0))}) {
      const Real exact = std::log1p(static_cast<Real>(x));
      const Real error = std::fabs(Log1pOfUnit(x) - exact);
      absolute.See(static_cast<double>(error));
      relative.See(static_cast<double>(error / exact));
    }
    const double x = -660 * dice.Uniform();
    ASSERT_EQ(ExpOfNegative(x), Exp(x));
  }
  EXPECT_LT(absolute.get(), 0x1p-52);
  EXPECT_LT(relative.get(), 0x1p-51);
  EXPECT_EQ(Log1pOfUnit(0), 0);
  EXPECT_EQ(Log1pOfUnit(1), std::numbers::ln2);
  EXPECT_EQ(ExpOfNegative(-kInfinity), 0);
  EXPECT_EQ(ExpOfNegative(-0.0), 1);
}

TEST(ElementaryTest, TablesAreWhatTheySay) {
  for (int i = 0; i < kExpSteps; ++i) {
    const Real exact = std::exp2(static_cast<Real>(i) / kExpSteps);
    const ExpEntry& entry = kExpTable[i];
    EXPECT_LT(std::fabs(entry.value * (1 + static_cast<Real>(entry.rest)) - exact), 0x1p-62);
    EXPECT_LE(std::fabs(entry.rest), 0x1p-53);
  }
  for (int i = 0; i < kLogSteps; ++i) {
    const LogEntry& entry = kLogTable[i];
    const auto first =
        std::bit_cast<double>(0x3fe6800000000000 + (static_cast<std::uint64_t>(i) << 45));
    const auto last =
        std::bit_cast<double>(0x3fe6800000000000 + (static_cast<std::uint64_t>(i + 1) << 45));
    EXPECT_EQ(std::round(entry.inverse * 512), entry.inverse * 512);
    EXPECT_EQ(std::round(entry.log_high * 0x1p42), entry.log_high * 0x1p42);
    EXPECT_LE(std::fabs(first * entry.inverse - 1), 0x1p-7);
    EXPECT_LE(std::fabs(last * entry.inverse - 1), 0x1p-7);
    const Real exact = -std::log(static_cast<Real>(entry.inverse));
    EXPECT_LT(std::fabs(static_cast<Real>(entry.log_high) + entry.log_low - exact), 0x1p-63);
  }
}

}  // namespace
}  // namespace lethe::elementary::elementary_test
