#include <map>

#include <gtest/gtest.h>

#include "state/memory_payloads.h"
#include "tests/support/proof_random.h"

namespace lethe {
namespace {

using proof::Dice;

Example Make(Dice& dice, bool hashed) {
  Example example{dice.Direction(hashed ? 1 + dice.Below(6) : 4, 1), dice.Uniform()};
  for (Eigen::Index i = 0; hashed && i < example.x.size(); ++i) {
    example.at.push_back(static_cast<std::uint32_t>(10 * i + dice.Below(9)));
  }
  return example;
}

// Against a map, through random additions, removals and windows.
void Exercise(bool hashed) {
  Dice dice(41);
  for (int run = 0; run < 30; ++run) {
    MemoryPayloads payloads;
    std::map<std::int64_t, Example> expected;
    const double removing = dice.Uniform();
    std::int64_t next = 0;
    for (int i = 0; i < 3000; ++i) {
      if (!dice.Chance(removing) || next == 0) {
        expected[next] = Make(dice, hashed);
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

TEST(MemoryPayloadsTest, HoldsWhatIsRetainedOfDenseEvents) { Exercise(false); }
TEST(MemoryPayloadsTest, HoldsWhatIsRetainedOfHashedEvents) { Exercise(true); }

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

#if !defined(__SANITIZE_ADDRESS__)  // reads room that a vector owns and does not use
TEST(MemoryPayloadsTest, RowsThatLeaveAreOverwritten) {
  MemoryPayloads payloads;
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
#endif

}  // namespace
}  // namespace lethe
