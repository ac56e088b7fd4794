// A table of numbers by tags against the map that it stands for.

#include "state/index/hash_index.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lethe::hash_index_test {
namespace {

std::vector<std::uint32_t> NumbersOf(const HashIndex& table, std::uint32_t tag) {
  std::vector<std::uint32_t> numbers;
  table.ForEach(tag, [&](std::uint32_t number) { numbers.push_back(number); });
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void ExpectSame(const HashIndex& table,
                const std::map<std::uint32_t, std::vector<std::uint32_t>>& expected) {
  std::size_t size = 0;
  for (const auto& [tag, numbers] : expected) {
    ASSERT_EQ(NumbersOf(table, tag), numbers) << tag;
    size += numbers.size();
  }
  EXPECT_EQ(table.size(), size);
}

TEST(HashIndexTest, AnEmptyOneHasNothing) {
  HashIndex table;
  EXPECT_EQ(table.Find(7), HashIndex::kNone);
  EXPECT_TRUE(NumbersOf(table, 7).empty());
  table.Erase(7, 1);
  EXPECT_EQ(table.size(), 0u);
}

// Over many rounds of growth, with tags that come twice and numbers that go.
TEST(HashIndexTest, HoldsWhatAMapHolds) {
  std::mt19937_64 random(3);
  HashIndex table;
  std::map<std::uint32_t, std::vector<std::uint32_t>> expected;
  std::vector<std::uint32_t> tags;
  for (std::uint32_t number = 0; number < 300'000; ++number) {
    const auto tag =
        static_cast<std::uint32_t>(number % 100 == 7 ? tags[random() % tags.size()] : random());
    table.Add(tag, number);
    expected[tag].push_back(number);
    tags.push_back(tag);
    if (number % 10 != 0) continue;
    const std::uint32_t gone = tags[random() % tags.size()];
    auto& numbers = expected[gone];
    if (numbers.empty()) continue;
    table.Erase(gone, numbers.front());
    numbers.erase(numbers.begin());
  }
  ExpectSame(table, expected);
}

// Tags that are not spread at all fill some parts and leave others empty.
TEST(HashIndexTest, HoldsTagsThatAreAlike) {
  HashIndex table;
  for (std::uint32_t number = 0; number < 20'000; ++number) table.Add(number % 1000, number);
  for (std::uint32_t tag = 0; tag < 1000; ++tag) ASSERT_EQ(NumbersOf(table, tag).size(), 20u);
}

TEST(HashIndexTest, ReplacesTheOneNumberOfATag) {
  HashIndex table;
  EXPECT_EQ(table.Replace(9, 1), HashIndex::kNone);
  EXPECT_EQ(table.Replace(9, 2), 1u);
  EXPECT_EQ(table.Find(9), 2u);
  EXPECT_EQ(table.size(), 1u);
}

TEST(HashIndexTest, TakesNotMuchMoreThanItsNumbers) {
  std::mt19937_64 random(5);
  HashIndex table;
  std::size_t least = 1 << 20;
  for (std::uint32_t number = 0; number < 6'000'000; ++number) {
    table.Add(static_cast<std::uint32_t>(random()), number);
    if (number < 4'000'000 || number % 10'000 != 0) continue;
    EXPECT_LT(table.bytes(), 8 * number / 0.57) << number;
    EXPECT_GT(table.bytes(), 8 * number / 0.82) << number;
    least = std::min(least, table.bytes() / number);
  }
  EXPECT_LE(least, 10u);
}

TEST(HashIndexTest, WhatIsExpectedNeedsNoGrowth) {
  std::mt19937_64 random(5);
  HashIndex table;
  table.Reserve(1'000'000);
  const std::size_t bytes = table.bytes();
  EXPECT_LT(bytes, 8 * 1'000'000 / 0.39);
  for (std::uint32_t number = 0; number < 990'000; ++number) {
    table.Add(static_cast<std::uint32_t>(random()), number);
  }
  EXPECT_EQ(table.bytes(), bytes);
}

// Also of a table that is in use, and in the middle of growing.
TEST(HashIndexTest, WhatIsExpectedLaterChangesNothingThatIsThere) {
  std::mt19937_64 random(7);
  HashIndex table;
  std::map<std::uint32_t, std::vector<std::uint32_t>> expected;
  for (std::uint32_t number = 0; number < 200'000; ++number) {
    const auto tag = static_cast<std::uint32_t>(random());
    table.Add(tag, number);
    expected[tag].push_back(number);
    if (number % 9'973 == 0) table.Reserve(2 * number);
  }
  ExpectSame(table, expected);
}

}  // namespace
}  // namespace lethe::hash_index_test
