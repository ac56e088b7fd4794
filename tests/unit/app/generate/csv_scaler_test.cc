#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "app/generate/scaler.h"
#include "engine/base/split_mix.h"
#include "tests/unit/connectors/test_files.h"

namespace lethe::csv_scaler_test {
namespace {

using testing::TemporaryDirectory;

double Norm(const std::vector<double>& x) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  return std::sqrt(squares);
}

class ScalerFileTest : public ::testing::Test {
 protected:
  Result<Scaler> Read(const std::string& json) {
    return Scaler::FromFile(folder_.Write("scale.json", json), {"price", "demand"}, 3);
  }

  void ExpectError(const std::string& json, const std::string& message) {
    const auto scaler = Read(json);
    ASSERT_FALSE(scaler.ok()) << json;
    EXPECT_EQ(scaler.status().code(), ErrorCode::kInput);
    EXPECT_NE(scaler.status().message().find("scale.json"), std::string::npos);
    EXPECT_NE(scaler.status().message().find(message), std::string::npos)
        << scaler.status().message();
  }

  TemporaryDirectory folder_;
};

TEST_F(ScalerFileTest, AFileThatIsNotThereOrIsNoObjectIsAnError) {
  EXPECT_FALSE(Scaler::FromFile(folder_.Path("absent"), {"price"}, 3).ok());
  ExpectError("", "Expected");
  ExpectError("[1,2]", "Expected");
  ExpectError("{\"price\":", "Expected");
}

TEST_F(ScalerFileTest, EveryFeatureMustBeThereOnceAndNothingElse) {
  const std::string price = R"("price":{"mean":1,"deviation":2})";
  const std::string demand = R"("demand":{"mean":1,"deviation":2})";
  ASSERT_TRUE(Read("{" + price + "," + demand + "}").ok());
  ExpectError("{" + price + "}", "column demand: is not given");
  ExpectError("{" + price + "," + demand + "," + price + "}", "column price: is given twice");
  ExpectError("{" + price + R"(,"demnad":{"mean":1,"deviation":2}})", "did you mean demand?");
}

TEST_F(ScalerFileTest, MeanAndDeviationMustBeNumbersAndTheDeviationAbove0) {
  for (const char* column : {"1", R"({"mean":1})", R"({"mean":1,"deviation":"2"})",
                             R"({"mean":null,"deviation":1})", R"([1,2])"}) {
    ExpectError(std::string(R"({"price":)") + column + "}", "column price: must be");
  }
  ExpectError(R"({"price":{"mean":1,"deviation":0}})", "deviation: must be above 0");
  ExpectError(R"({"price":{"mean":1,"deviation":-2}})", "deviation: must be above 0");
  ExpectError(R"({"price":{"mean":1e999,"deviation":1}})", "");
}

TEST_F(ScalerFileTest, ColumnsAreMatchedByNameAndNotByOrder) {
  const auto scaler =
      Read(R"({"demand":{"mean":3,"deviation":4},"price":{"mean":1,"deviation":2}})");
  ASSERT_TRUE(scaler.ok()) << scaler.status().message();
  EXPECT_EQ(scaler.value().columns()[0].mean, 1);
  EXPECT_EQ(scaler.value().columns()[0].deviation, 2);
  EXPECT_EQ(scaler.value().columns()[1].mean, 3);
  EXPECT_EQ(scaler.value().columns()[1].deviation, 4);
}

TEST(ScalerTest, RowsThatAreTooLargeToBeAveragedAreAnError) {
  const auto scaler = Scaler::FromRows({{1e308}, {-1e308}}, {"price"}, 3);
  ASSERT_FALSE(scaler.ok());
  EXPECT_NE(scaler.status().message().find("column price"), std::string::npos);
}

TEST(ScalerTest, MeanAndDeviationAreThoseOfTheRows) {
  const auto scaler = Scaler::FromRows({{1, 10}, {2, 20}, {3, 60}}, {"a", "b"}, 3);
  ASSERT_TRUE(scaler.ok());
  EXPECT_NEAR(scaler.value().columns()[0].mean, 2, 1e-15);
  EXPECT_NEAR(scaler.value().columns()[0].deviation, std::sqrt(2.0 / 3), 1e-15);
  EXPECT_NEAR(scaler.value().columns()[1].mean, 30, 1e-13);
  EXPECT_NEAR(scaler.value().columns()[1].deviation, std::sqrt(1400.0 / 3), 1e-13);
}

// 500 times 0.003467 does not add up to a multiple of it in doubles; what is left over must not be
// taken for a scale.
TEST(ScalerTest, AColumnThatDoesNotVaryIsCentredOnly) {
  const std::vector<std::vector<double>> rows(500, {0.003467});
  const auto scaler = Scaler::FromRows(rows, {"a"}, 3);
  ASSERT_TRUE(scaler.ok());
  EXPECT_EQ(scaler.value().columns()[0].mean, 0.003467);
  EXPECT_EQ(scaler.value().columns()[0].deviation, 1);
}

TEST(ScalerTest, FeaturesAreStandardisedClippedScaledToNorm1AndGivenAConstant) {
  const Scaler scaler({{.mean = 1, .deviation = 2}, {.mean = 0, .deviation = 1}}, 3);
  std::vector<double> x{5, -100};  // standardised 2 and -100, clipped 2 and -3
  scaler.Apply(x);
  ASSERT_EQ(x.size(), 3u);
  const double norm = std::sqrt(13.0 * 2);
  EXPECT_NEAR(x[0], 2 / norm, 1e-6);
  EXPECT_NEAR(x[1], -3 / norm, 1e-6);
  EXPECT_NEAR(x[2], std::sqrt(0.5), 1e-6);
}

TEST(ScalerTest, ARowAtTheMeanHasTheConstantOnly) {
  const Scaler scaler({{.mean = 1, .deviation = 2}}, 3);
  std::vector<double> x{1};
  scaler.Apply(x);
  EXPECT_EQ(x, (std::vector<double>{0, 0.707106}));
}

TEST(ScalerTest, NoRowLeavesTheUnitBall) {
  SplitMix random(5);
  const double huge = std::numeric_limits<double>::max();
  for (int i = 0; i < 2000; ++i) {
    std::vector<Scaler::Column> columns(static_cast<std::size_t>(1 + random.Below(8)));
    std::vector<double> x;
    for (Scaler::Column& column : columns) {
      column = {random.Normal(), std::exp(20 * random.Normal())};
      x.push_back(random.Below(5) == 0 ? huge : random.Normal() * std::exp(20 * random.Normal()));
    }
    Scaler(columns, 0.5 + 5 * random.Uniform()).Apply(x);
    EXPECT_LE(Norm(x), 1);
    EXPECT_GE(Norm(x), 0.7);
    for (const double value : x) EXPECT_TRUE(std::isfinite(value));
  }
}

}  // namespace
}  // namespace lethe::csv_scaler_test
