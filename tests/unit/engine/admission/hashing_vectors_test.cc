#include <test_paths.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/admission/feature_hash.h"

namespace lethe::hashing_vectors_test {
namespace {

// The rows of the table in docs/formats/hashing.md, as lists of cells.
std::vector<std::vector<std::string>> DocumentedVectors() {
  std::ifstream file(LETHE_SOURCE_DIR "/docs/formats/hashing.md");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::stringstream text(line.substr(2));
    for (std::string cell; std::getline(text, cell, '|');) {
      cells.push_back(cell.substr(0, cell.find_last_not_of(' ') + 1));
    }
    rows.push_back(cells);
  }
  return rows;
}

TEST(FeatureHashTest, IsTheDocumentedFunction) {
  const auto rows = DocumentedVectors();
  ASSERT_EQ(rows.size(), 8u);
  for (const auto& cells : rows) {
    ASSERT_EQ(cells.size(), 5u);
    const std::string name = cells[0].substr(1, cells[0].size() - 2);
    const std::pair<int, std::size_t> columns[] = {{24, 1}, {18, 2}, {4, 3}};
    for (const auto& [bits, column] : columns) {
      EXPECT_EQ(HashFeature(name, bits).index, std::stoul(cells[column])) << name;
      EXPECT_EQ(HashFeature(name, bits).sign, std::stod(cells[4])) << name;
    }
  }
}

// The same vectors once more: if document and program change together, models in the field break.
TEST(FeatureHashTest, NeverChanges) {
  EXPECT_EQ(HashFeature("country=DK", 24).index, 16005985u);
  EXPECT_EQ(HashFeature("country=DK", 24).sign, 1);
  EXPECT_EQ(HashFeature("age", 24).index, 10276667u);
  EXPECT_EQ(HashFeature("age", 24).sign, -1);
  EXPECT_EQ(HashFeature("\xc3\xa9t\xc3\xa9", 18).index, 118806u);
  EXPECT_NE(HashFeature(std::string_view("\0", 1), 24).index, HashFeature("", 24).index);
}

TEST(FeatureHashTest, SpreadsSimilarNamesAndSigns) {
  const int names = 1 << 14;
  std::set<std::uint32_t> seen;
  double signs = 0;
  double products = 0;  // of the sign with the index's lowest bit
  for (int i = 0; i < names; ++i) {
    const HashedFeature feature = HashFeature("f" + std::to_string(i), 14);
    ASSERT_LT(feature.index, 1u << 14);
    seen.insert(feature.index);
    signs += feature.sign;
    products += feature.sign * (feature.index % 2 == 0 ? 1 : -1);
  }
  // A random function hits 1 - 1/e of the places, 63.2%.
  EXPECT_NEAR(static_cast<double>(seen.size()) / names, 0.632, 0.02);
  EXPECT_LT(std::abs(signs), 4 * std::sqrt(names));
  EXPECT_LT(std::abs(products), 4 * std::sqrt(names));
}

TEST(FeatureHashTest, SortsAddsUpAndLeavesOutZero) {
  // At one bit everything collides: places 0 and 1 only.
  std::vector<std::pair<std::string, double>> named;
  double sums[2] = {0, 0};
  for (int i = 0; i < 100; ++i) {
    const std::string name = "name " + std::to_string(i);
    const HashedFeature feature = HashFeature(name, 1);
    named.emplace_back(name, 0.1 * i);
    sums[feature.index] += feature.sign * (0.1 * i);  // in the order of the event, bit for bit
  }
  Example example;
  HashFeatures(named, 1, false, example);
  EXPECT_EQ(example.at, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(example.x, (Vector(2) << sums[0], sums[1]).finished());

  HashFeatures({{"a", 0.5}, {"age", 0.0}, {"a", -0.5}, {"0", -0.0}}, 24, false, example);
  EXPECT_TRUE(example.at.empty());
  EXPECT_EQ(example.x.size(), 0);

  HashFeatures({{"age", 0.4}, {"country=DK", 1}, {"age", 0.1}}, 24, true, example);
  EXPECT_EQ(example.at, (std::vector<std::uint32_t>{10276667, 16005985, 1u << 24}));
  EXPECT_EQ(example.x, (Vector(3) << -(0.4 + 0.1), 1, 1).finished());
}

}  // namespace
}  // namespace lethe::hashing_vectors_test
