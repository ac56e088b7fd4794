// One pass says what Eigen says in two, bit for bit.

#include "engine/base/fused_kernels.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "engine/base/types.h"

namespace lethe::fused_kernels_test {
namespace {

class PassesTest : public ::testing::TestWithParam<int> {
 protected:
  Vector Random() {
    Vector x(GetParam());
    for (double& number : x) number = std::ldexp(normal_(random_), exponent_(random_));
    return x;
  }

 private:
  std::mt19937_64 random_{7};
  std::normal_distribution<double> normal_;
  std::uniform_int_distribution<int> exponent_{-30, 30};
};

TEST_P(PassesTest, CopiesWithTheNormOfEigen) {
  for (int round = 0; round < 50; ++round) {
    const Vector x = Random();
    Vector copy = Vector::Zero(x.size() + 1);
    const double norm =
        CopyWithSquaredNorm(x.data(), static_cast<std::size_t>(x.size()), copy.data());
    EXPECT_EQ(norm, x.squaredNorm());
    EXPECT_EQ(copy.head(x.size()), x);
    EXPECT_EQ(copy[x.size()], 0);
  }
}

TEST_P(PassesTest, ReadsNumbersAtAnyAddressWithTheNormOfEigen) {
  for (int round = 0; round < 50; ++round) {
    const Eigen::VectorXf narrow = Random().cast<float>();
    const Vector x = round % 2 == 0 ? Vector(narrow.cast<double>()) : Random();
    const auto count = static_cast<std::size_t>(x.size());
    std::string bytes(static_cast<std::size_t>(round % 8), 'x');
    const std::size_t at = bytes.size();
    Vector copy = Vector::Zero(x.size() + 1);
    if (round % 2 == 0) {
      bytes.append(reinterpret_cast<const char*>(narrow.data()), count * sizeof(float));
      EXPECT_EQ(WidenWithSquaredNorm(bytes.data() + at, count, copy.data()), x.squaredNorm());
    } else {
      bytes.append(reinterpret_cast<const char*>(x.data()), count * sizeof(double));
      EXPECT_EQ(UnpackWithSquaredNorm(bytes.data() + at, count, copy.data()), x.squaredNorm());
    }
    EXPECT_EQ(copy.head(x.size()), x);
    EXPECT_EQ(copy[x.size()], 0);
  }
}

TEST_P(PassesTest, StepsAsEigenDoes) {
  for (int round = 0; round < 50; ++round) {
    const Vector x = Random();
    Vector z = Random();
    const Vector expected = 0.9875 * z - 0.3 * x;
    const double norm =
        StepWithSquaredNorm(0.9875, 0.3, x.data(), static_cast<std::size_t>(x.size()), z.data());
    EXPECT_EQ(z, expected);
    EXPECT_EQ(norm, expected.squaredNorm());
  }
}

// A validator that took the norm for a number would let them in.
TEST_P(PassesTest, ANumberThatIsNotFiniteShowsInTheNorm) {
  for (const double bad :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (int at = 0; at < GetParam(); ++at) {
      Vector x = Vector::Zero(GetParam());
      x[at] = bad;
      Vector copy(x.size());
      EXPECT_FALSE(std::isfinite(
          CopyWithSquaredNorm(x.data(), static_cast<std::size_t>(x.size()), copy.data())));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PassesTest,
                         ::testing::Values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 20, 63, 100, 1001));

}  // namespace
}  // namespace lethe::fused_kernels_test
