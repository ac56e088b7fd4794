#include "state/payloads/memory_payloads.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/proof_random.h"

namespace lethe::memory_payloads_test {
namespace {

using proof::Dice;

// What the numbers of a row are like: some fit four bytes.
enum class Numbers { kAny, kFloats, kDecimals, kMixed };

Example Make(Dice& dice, bool hashed, Numbers numbers) {
  Example example{dice.Direction(hashed ? 1 + dice.Below(6) : 4, 1), dice.Uniform()};
  if (numbers == Numbers::kMixed) numbers = static_cast<Numbers>(dice.Below(3));
  for (double& x : example.x) {
    if (numbers == Numbers::kFloats) x = static_cast<float>(x);
    if (numbers == Numbers::kDecimals) x = std::round(x * 1e6) / 1e6;
  }
  for (Eigen::Index i = 0; hashed && i < example.x.size(); ++i) {
    example.at.push_back(static_cast<std::uint32_t>(10 * i + dice.Below(9)));
  }
  return example;
}

// Against a map, through random additions, removals and windows.
void Exercise(bool hashed, Numbers numbers, bool holds_still = false) {
  Dice dice(41);
  for (int run = 0; run < 30; ++run) {
    MemoryPayloads payloads;
    const int stilled = holds_still ? static_cast<int>(dice.Below(3000)) : -1;
    std::map<std::int64_t, Example> expected;
    const double removing = dice.Uniform();
    std::int64_t next = 0;
    for (int i = 0; i < 3000; ++i) {
      if (i == stilled) payloads.PinInMemory();
      if (!dice.Chance(removing) || next == 0) {
        expected[next] = Make(dice, hashed, numbers);
        payloads.Add({next}, expected[next]);
        next += 1 + dice.Below(3);
      } else {
        const std::int64_t index = dice.Below(next);
        payloads.Remove({index});
        expected.erase(index);
      }
      if (dice.Chance(0.01)) {
        const std::int64_t from = next - dice.Below(next + 1);
        payloads.DropBefore({from});
        expected.erase(expected.begin(), expected.lower_bound(from));
      }
    }
    ASSERT_EQ(payloads.count(), static_cast<std::int64_t>(expected.size()));
    auto at = expected.begin();
    std::int64_t bytes = 0;
    payloads.ForEach([&](EventIndex index, const Example& example) {
      ASSERT_EQ(index.value, at->first);
      ASSERT_EQ(example.x, at->second.x);
      ASSERT_EQ(example.y, at->second.y);
      ASSERT_EQ(example.at, at->second.at);
      bytes += 8 + 8 * example.x.size() + 4 * static_cast<std::int64_t>(example.at.size());
      ++at;
    });
    ASSERT_TRUE(at == expected.end());
    ASSERT_EQ(payloads.bytes(), bytes);
    if (hashed) continue;
    at = expected.begin();
    payloads.ForEachBlock([&](const PayloadBlock& block) {
      ASSERT_GT(block.indices.size(), 0u);
      ASSERT_EQ(block.x.size(), 4 * block.indices.size());
      for (std::size_t i = 0; i < block.indices.size(); ++i, ++at) {
        ASSERT_EQ(block.indices[i].value, at->first);
        ASSERT_EQ(block.y[i], at->second.y);
        for (std::size_t j = 0; j < 4; ++j) {
          ASSERT_EQ(block.x[4 * i + j], at->second.x[static_cast<Eigen::Index>(j)]);
        }
      }
    });
    ASSERT_TRUE(at == expected.end());
  }
}

TEST(MemoryPayloadsTest, HoldsWhatIsRetainedOfDenseEvents) { Exercise(false, Numbers::kAny); }
TEST(MemoryPayloadsTest, HoldsWhatIsRetainedOfFloats) { Exercise(false, Numbers::kFloats); }
TEST(MemoryPayloadsTest, HoldsWhatIsRetainedOfDecimals) { Exercise(false, Numbers::kDecimals); }
TEST(MemoryPayloadsTest, HoldsWhatIsRetainedOfAMixture) { Exercise(false, Numbers::kMixed); }
TEST(MemoryPayloadsTest, HoldsWhatIsRetainedWhenItHoldsStill) {
  Exercise(false, Numbers::kFloats, true);
}
TEST(MemoryPayloadsTest, HoldsWhatIsRetainedOfHashedEvents) { Exercise(true, Numbers::kMixed); }

TEST(MemoryPayloadsTest, BlocksStayWhereTheyAreWhenItHoldsStill) {
  MemoryPayloads payloads;
  for (std::int64_t i = 0; i < 300; ++i) payloads.Add({i}, {Vector::Constant(2, i), 1});
  payloads.PinInMemory();
  for (std::int64_t i = 300; i < 600; ++i) payloads.Add({i}, {Vector::Constant(2, i), 1});
  std::vector<const double*> rows;
  payloads.ForEachBlock([&](const PayloadBlock& block) {
    for (std::size_t i = 0; i < block.indices.size(); ++i) rows.push_back(block.x.data() + 2 * i);
  });
  ASSERT_EQ(rows.size(), 600u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], i);
    EXPECT_EQ(rows[i][1], i);
  }
}

// One form after another must not leave a block for each row.
TEST(MemoryPayloadsTest, AMixtureMakesFewBlocks) {
  MemoryPayloads payloads;
  for (std::int64_t i = 0; i < 10000; ++i) {
    payloads.Add({i}, {Vector::Constant(2, i % 2 == 0 ? 0.123456789 : 100.25 + 1e-6), 1});
  }
  int blocks = 0;
  payloads.ForEachBlock([&](const PayloadBlock&) { ++blocks; });
  EXPECT_LE(blocks, 10000 / 128 + 1);
}

TEST(MemoryPayloadsTest, BlocksDoNotStayMostlyEmpty) {
  MemoryPayloads payloads;
  for (std::int64_t i = 0; i < 100000; ++i) payloads.Add({i}, {Vector::Ones(2), 1});
  for (std::int64_t i = 0; i < 100000; ++i) {
    if (i % 100 != 0) payloads.Remove({i});
  }
  int blocks = 0;
  payloads.ForEachBlock([&](const PayloadBlock&) { ++blocks; });
  EXPECT_LE(blocks, 1000 / 64 + 1);
}

// AddressSanitizer forbids to read room that a vector owns and does not use. ThreadSanitizer maps
// more memory than a test can search.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(MemoryPayloadsTest, RowsThatLeaveAreOverwritten) {
  MemoryPayloads payloads;
  payloads.PinInMemory();
  for (std::int64_t i = 0; i < 10; ++i) payloads.Add({i}, {Vector::Constant(3, 7.5), 7.5});
  payloads.Remove({4});
  payloads.Remove({9});
  payloads.DropBefore({3});
  payloads.ForEachBlock([](const PayloadBlock& block) {
    ASSERT_EQ(block.y.size(), 5u);
    for (int i = 0; i < 15; ++i) ASSERT_EQ(block.x[static_cast<std::size_t>(i)], 7.5);
    for (int i = 1; i <= 9; ++i) EXPECT_EQ(block.x.data()[-i], 0);
    for (int i = 15; i < 21; ++i) EXPECT_EQ(block.x.data()[i], 0);
    for (int i = 1; i <= 3; ++i) EXPECT_EQ(block.y.data()[-i], 0);
    for (int i = 5; i < 7; ++i) EXPECT_EQ(block.y.data()[i], 0);
  });
}

// How often the number, as a float, lies three times in a row in what this process can write to.
int CountInMemory(float number) {
  const auto wanted = std::bit_cast<std::uint32_t>(number);
  int count = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char access[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, access) != 3) continue;
    if (std::string_view(access) != "rw-p") continue;
    const auto* const first = reinterpret_cast<const std::uint32_t*>(begin);
    const auto* const last = reinterpret_cast<const std::uint32_t*>(end);
    for (const std::uint32_t* at = first; at + 3 <= last; ++at) {
      count += at[0] == wanted && at[1] == wanted && at[2] == wanted ? 1 : 0;
    }
  }
  return count;
}

TEST(MemoryPayloadsTest, ShortRowsThatLeaveAreOverwritten) {
  const auto number = [](std::int64_t i) { return 54321.25F + 2 * static_cast<float>(i); };
  MemoryPayloads payloads;
  for (std::int64_t i = 0; i < 600; ++i) payloads.Add({i}, {Vector::Constant(3, number(i)), 1});
  for (const std::int64_t i : {3, 4, 255, 256, 599}) EXPECT_EQ(CountInMemory(number(i)), 1) << i;
  payloads.Remove({4});
  payloads.Remove({599});
  payloads.DropBefore({4});
  for (const std::int64_t i : {3, 4, 599}) EXPECT_EQ(CountInMemory(number(i)), 0) << i;
  // Until blocks are joined.
  for (std::int64_t i = 10; i < 500; ++i) payloads.Remove({i});
  for (const std::int64_t i : {10, 255, 256, 499}) EXPECT_EQ(CountInMemory(number(i)), 0) << i;
  for (const std::int64_t i : {5, 9, 500, 520, 598}) EXPECT_EQ(CountInMemory(number(i)), 1) << i;
  // A row that does not fit makes them wider.
  payloads.Add({600}, {Vector::Constant(3, 1.0 / 3), 1});
  for (const std::int64_t i : {500, 598}) EXPECT_LE(CountInMemory(number(i)), 1) << i;
  payloads.PinInMemory();
  for (const std::int64_t i : {5, 9, 500, 598}) EXPECT_EQ(CountInMemory(number(i)), 0) << i;
}
#endif

}  // namespace
}  // namespace lethe::memory_payloads_test
