#include "app/generate/csv_source.h"

#include <gtest/gtest.h>

#include "tests/unit/connectors/test_files.h"

namespace lethe::csv_source_test {
namespace {

using testing::TemporaryDirectory;

class CsvSourceTest : public ::testing::Test {
 protected:
  CsvSourceTest() {
    options_.columns.label = "class";
    options_.positive = "up";
  }

  // All examples, or the error.
  Result<std::vector<Sample>> Read(const std::string& bytes) {
    options_.path = folder_.Write("table.csv", bytes);
    SplitMix random(1);
    auto source = CsvSource::Open(options_, random);
    if (!source.ok()) return source.status();
    std::vector<Sample> samples;
    people_.clear();
    for (Sample sample;;) {
      const auto found = source.value()->Next(sample);
      if (!found.ok()) return found.status();
      if (!found.value()) break;
      samples.push_back(sample);
      people_.push_back(sample.person ? source.value()->PersonName(*sample.person) : "");
      EXPECT_EQ(sample.x.size(), source.value()->dimension());
    }
    count_ = source.value()->count();
    return samples;
  }

  void ExpectError(const std::string& bytes, const std::string& message) {
    const auto samples = Read(bytes);
    ASSERT_FALSE(samples.ok()) << bytes;
    EXPECT_EQ(samples.status().code(), ErrorCode::kInput);
    EXPECT_NE(samples.status().message().find(message), std::string::npos)
        << samples.status().message();
    EXPECT_EQ(samples.status().message().find("secret"), std::string::npos)
        << "a message must not carry a value: " << samples.status().message();
  }

  TemporaryDirectory folder_;
  CsvOptions options_;
  std::vector<std::string> people_;  // of each example
  std::optional<std::int64_t> count_;
};

TEST_F(CsvSourceTest, AColumnThatIsNotThereIsAnErrorWithTheNearest) {
  ExpectError("x,clas\n1,up\n", "--label: there is no column class; did you mean clas?");
  ExpectError("x;y;class\n1;2;up\n", "separated by commas");
  options_.columns.drop = {"z"};
  ExpectError("x,class\n1,up\n", "--drop: there is no column z");
  options_.columns.drop.clear();
  options_.columns.subject = "usr";
  ExpectError("x,user,class\n1,u,up\n", "--subject-column: there is no column usr");
}

TEST_F(CsvSourceTest, ATableWithoutFeaturesOrRowsIsAnError) {
  ExpectError("class\nup\n", "no column is left to be a feature");
  ExpectError("x,class\n", "table.csv: has no rows");
}

TEST_F(CsvSourceTest, ACellThatIsNoNumberIsAnErrorWithLineAndColumn) {
  for (const char* cell : {"secret", "1.5x", "0x10", "1 2", "inf", "-inf", "1e999", "--1", "+-1"}) {
    ExpectError("x,price,class\n1,2,up\n1," + std::string(cell) + ",up\n",
                "table.csv, line 3, column price: is not a finite number");
  }
}

TEST_F(CsvSourceTest, AMissingValueIsAnErrorUnlessItIsSaidWhatStandsForIt) {
  for (const char* cell : {"", " ", "\"\"", "?", "NA", "NaN", "nan", "null"}) {
    const std::string bytes = "x,price,class\n1," + std::string(cell) + ",up\n";
    options_.missing.reset();
    ExpectError(bytes, "line 2, column price: the value is missing");
    options_.missing = -7;
    const auto samples = Read(bytes);
    ASSERT_TRUE(samples.ok()) << samples.status().message();
    EXPECT_EQ(samples.value()[0].x, (std::vector<double>{1, -7}));
  }
}

TEST_F(CsvSourceTest, ALabelThatIsMissingIsAnErrorEvenIfValuesMayBe) {
  options_.missing = 0;
  ExpectError("x,class\n1,up\n2,\n", "line 3, column class: the label is missing");
}

TEST_F(CsvSourceTest, ALabelThatNoRowHasIsAnError) {
  ExpectError("x,class\n1,secret\n2,Up\n", "column class: no row has the value of --positive");
}

TEST_F(CsvSourceTest, ARegressionLabelMustBeANumberWithinMinus1And1) {
  options_.task = Task::kRegression;
  ExpectError("x,class\n1,up\n", "line 2, column class: the label is not a finite number");
  ExpectError("x,class\n1,1\n2,-250\n", "line 3, column class: the label is outside of -1 to 1");
  ExpectError("x,class\n1,nan\n", "line 2, column class: the label is not a finite number");
  options_.label_scale = 250;
  const auto samples = Read("x,class\n1,125\n2,-250\n");
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  EXPECT_EQ(samples.value()[0].y, 0.5);
  EXPECT_EQ(samples.value()[1].y, -1);
}

TEST_F(CsvSourceTest, FewerRowsThanTheScaleNeedsIsAnError) {
  options_.scale_rows = 3;
  ExpectError("x,class\n1,up\n2,down\n", "has 2 rows, and --scale-rows asks for 3");
}

TEST_F(CsvSourceTest, ASubjectThatNoEventMayCarryIsAnError) {
  options_.columns.subject = "user";
  ExpectError("x,user,class\n1,secret\xff,up\n", "line 2, column user: is not UTF-8");
  ExpectError("x,user,class\n1," + std::string(1025, 'u') + ",up\n",
              "line 2, column user: a subject may have 1024 bytes at most");
}

TEST_F(CsvSourceTest, RowsComeInOrderAsTheyAreWithoutAScale) {
  const auto samples = Read("x,y,class\n1.5,-2e3,up\n+3,\"4\",down\n");
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  ASSERT_EQ(samples.value().size(), 2u);
  EXPECT_EQ(samples.value()[0].x, (std::vector<double>{1.5, -2000}));
  EXPECT_EQ(samples.value()[1].x, (std::vector<double>{3, 4}));
  EXPECT_EQ(samples.value()[0].y, 1);
  EXPECT_EQ(samples.value()[1].y, -1);
  EXPECT_FALSE(samples.value()[0].person.has_value());
}

TEST_F(CsvSourceTest, DroppedColumnsMayHoldAnything) {
  options_.columns.drop = {"note", "column 1"};
  const auto samples = Read(",note,x,class\n0,\"a, b\",1,up\n1,,2,up\n");
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  EXPECT_EQ(samples.value()[1].x, (std::vector<double>{2}));
}

TEST_F(CsvSourceTest, PeopleAreThoseOfTheColumnAndAnEmptyOneIsNobody) {
  options_.columns.subject = "user";
  ASSERT_TRUE(Read("x,user,class\n1,ann,up\n2,bob,up\n3,,up\n4,ann,up\n").ok());
  EXPECT_EQ(people_, (std::vector<std::string>{"ann", "bob", "", "ann"}));
}

TEST_F(CsvSourceTest, PeopleAreDrawnWhenThereIsNoColumnOfThem) {
  options_.subjects = 2;
  std::string bytes = "x,class\n";
  for (int i = 0; i < 50; ++i) bytes += "1,up\n";
  ASSERT_TRUE(Read(bytes).ok());
  EXPECT_EQ(std::count(people_.begin(), people_.end(), "user-0") +
                std::count(people_.begin(), people_.end(), "user-1"),
            50);
  EXPECT_GT(std::count(people_.begin(), people_.end(), "user-0"), 5);
}

TEST_F(CsvSourceTest, AtMostAsManyRowsAsAskedFor) {
  options_.events = 2;
  options_.count_rows = true;
  const std::string bytes = "x,class\n1,up\n2,up\nnot a number,up\n";
  const auto samples = Read(bytes);
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  EXPECT_EQ(samples.value().size(), 2u);
  EXPECT_EQ(count_, 2);
  options_.events = 100;
  options_.columns.drop = {};
  ASSERT_TRUE(Read("x,class\n1,up\n2,up\n3,up\n").ok());
  EXPECT_EQ(count_, 3);
}

TEST_F(CsvSourceTest, RowsThatGiveTheScaleAreLearnedToo) {
  options_.scale_rows = 3;
  const auto samples = Read("x,class\n1,up\n2,down\n3,up\n4,up\n");
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  ASSERT_EQ(samples.value().size(), 4u);
  EXPECT_EQ(samples.value()[0].x, (std::vector<double>{-0.707106, 0.707106}));
  EXPECT_EQ(samples.value()[1].x, (std::vector<double>{0, 0.707106}));
  EXPECT_EQ(samples.value()[1].y, -1);
}

// A scale that looks at later rows would carry deleted events into what is kept.
TEST_F(CsvSourceTest, TheScaleIsAFunctionOfTheFirstRowsAlone) {
  const std::string head = "x,z,class\n1,5,up\n2,7,down\n4,6,up\n";
  const std::string row = "2.5,9,up\n";
  options_.scale_rows = 3;
  const auto a = Read(head + "1000,-1000,up\n" + row);
  const auto b = Read(head + "-3,0,down\n" + row);
  const auto c = Read(head + row);
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(a.value()[i].x, b.value()[i].x);
    EXPECT_EQ(a.value()[i].x, c.value()[i].x);
  }
  EXPECT_EQ(a.value()[4].x, b.value()[4].x);
  EXPECT_EQ(a.value()[4].x, c.value()[3].x);
  const auto other = Read("x,z,class\n1,5,up\n2,7,down\n9,6,up\n" + row);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(other.value()[3].x, c.value()[3].x) << "the first rows must matter";
}

TEST_F(CsvSourceTest, AScaleFileIsUsedAsItIs) {
  options_.scale_file =
      folder_.Write("scale.json", R"({"x":{"mean":1,"deviation":2},"z":{"mean":0,"deviation":1}})");
  options_.clip = 1;
  const auto samples = Read("x,z,class\n3,1,up\n-99,1,up\n");
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  EXPECT_NEAR(samples.value()[0].x[0], 0.5, 1.1e-6);
  EXPECT_NEAR(samples.value()[1].x[0], -0.5, 1.1e-6) << "clipped to 1";
  EXPECT_NEAR(samples.value()[1].x[1], 0.5, 1.1e-6);
}

}  // namespace
}  // namespace lethe::csv_source_test
