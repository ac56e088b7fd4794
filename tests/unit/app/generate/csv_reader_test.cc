#include "app/generate/csv_reader.h"

#include <gtest/gtest.h>

#include "tests/unit/connectors/test_files.h"

namespace lethe::csv_reader_test {
namespace {

using testing::Compress;
using testing::TemporaryDirectory;

using Cells = std::vector<std::string>;

class CsvReaderTest : public ::testing::Test {
 protected:
  // All rows, or the error.
  Result<std::vector<Cells>> Read(const std::string& bytes) {
    auto reader = CsvReader::Open(folder_.Write("table.csv", bytes));
    if (!reader.ok()) return reader.status();
    columns_ = reader.value()->columns();
    std::vector<Cells> rows;
    for (;;) {
      const auto found = reader.value()->Next();
      if (!found.ok()) return found.status();
      if (!found.value()) return rows;
      rows.emplace_back();
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        rows.back().push_back(reader.value()->cell(i));
      }
    }
  }

  void ExpectError(const std::string& bytes, const std::string& message) {
    const auto rows = Read(bytes);
    ASSERT_FALSE(rows.ok()) << bytes;
    EXPECT_EQ(rows.status().code(), ErrorCode::kInput);
    EXPECT_NE(rows.status().message().find(message), std::string::npos) << rows.status().message();
    EXPECT_EQ(rows.status().message().find("secret"), std::string::npos)
        << "a message must not carry a value: " << rows.status().message();
  }

  TemporaryDirectory folder_;
  Cells columns_;
};

TEST_F(CsvReaderTest, AFileThatIsNotThereIsAnError) {
  EXPECT_EQ(CsvReader::Open(folder_.Path("absent.csv")).status().code(), ErrorCode::kInput);
}

TEST_F(CsvReaderTest, AnEmptyFileIsAnError) {
  ExpectError("", "is empty");
  ExpectError("\n \n", "is empty");
}

TEST_F(CsvReaderTest, AColumnThatIsNamedTwiceIsAnError) {
  ExpectError("a,b,a\n1,2,3\n", "line 1: two columns are called a");
}

TEST_F(CsvReaderTest, ARowWithMoreOrFewerCellsIsAnErrorWithItsLine) {
  ExpectError("a,b\n1,2\n1,secret,3\n", "table.csv, line 3: has 3 cells, the header has 2");
  ExpectError("a,b\n\n1\n", "line 3: has 1 cells, the header has 2");
}

TEST_F(CsvReaderTest, AQuoteThatIsNotClosedOnItsLineIsAnError) {
  ExpectError("a,b\n1,\"secret\nsecret\"\n", "line 2: cell 2: a quote is opened");
  ExpectError("a,b\n1,\"\"\"\n", "line 2: cell 2: a quote is opened");
  ExpectError("a,b\n1,\"\n", "line 2: cell 2: a quote is opened");
}

TEST_F(CsvReaderTest, AQuoteInTheWrongPlaceIsAnError) {
  ExpectError("a,b\n\"secret\"x,2\n", "line 2: cell 1: there is text behind the closing quote");
  ExpectError("a,b\n1,sec\"ret\n", "line 2: cell 2: there is a quote in the middle");
  ExpectError("a,b\n1, \"secret\"\n", "line 2: cell 2: there is a quote in the middle");
}

TEST_F(CsvReaderTest, ALineAboveTheLimitIsAnError) {
  ExpectError("a\n" + std::string(3 << 20, '1') + "\n", "line 2: the line is above 1 MiB");
}

TEST_F(CsvReaderTest, ATruncatedArchiveIsAnErrorAfterItsWholeRows) {
  std::string bytes = "a\n";
  for (int i = 0; i < 20000; ++i) bytes += std::to_string(i * 7919 % 100003) + "\n";
  const std::string whole = Compress(".gz", bytes);
  ASSERT_TRUE(Read(whole).ok());
  ExpectError(whole.substr(0, whole.size() / 2), "table.csv");
}

TEST_F(CsvReaderTest, CellsAreSplitAtCommasOutsideOfQuotes) {
  const auto rows = Read("a,b,c\n1,,3\n\"x,y\",\"say \"\"hi\"\"\",\"\"\n,,\n");
  ASSERT_TRUE(rows.ok()) << rows.status().message();
  EXPECT_EQ(columns_, (Cells{"a", "b", "c"}));
  const std::vector<Cells> expected{{"1", "", "3"}, {"x,y", "say \"hi\"", ""}, {"", "", ""}};
  EXPECT_EQ(rows.value(), expected);
}

TEST_F(CsvReaderTest, SpacesAroundACellCountInsideOfQuotesOnly) {
  const auto rows = Read("a , b\n 1\t,\" 2 \"\n");
  ASSERT_TRUE(rows.ok()) << rows.status().message();
  EXPECT_EQ(columns_, (Cells{"a", "b"}));
  EXPECT_EQ(rows.value(), (std::vector<Cells>{{"1", " 2 "}}));
}

TEST_F(CsvReaderTest, LineEndsByteOrderMarkAndCompressionDoNotMatter) {
  const std::string plain = "a,b\n1,2\n3,4\n";
  const std::string variants[] = {plain, "a,b\r\n1,2\r\n3,4\r\n",
                                  "\xef\xbb\xbf"
                                  "a,b\n1,2\n\n3,4",
                                  Compress(".gz", plain), Compress(".zst", plain)};
  for (const std::string& bytes : variants) {
    const auto rows = Read(bytes);
    ASSERT_TRUE(rows.ok()) << rows.status().message();
    EXPECT_EQ(columns_, (Cells{"a", "b"}));
    EXPECT_EQ(rows.value(), (std::vector<Cells>{{"1", "2"}, {"3", "4"}}));
  }
}

TEST_F(CsvReaderTest, AColumnWithoutANameIsCalledByItsPlace) {
  ASSERT_TRUE(Read(",x,\n0,1,2\n").ok());
  EXPECT_EQ(columns_, (Cells{"column 1", "x", "column 3"}));
}

}  // namespace
}  // namespace lethe::csv_reader_test
