// The ids of a window: a filter in front of them changes no answer.

#include "engine/shard/seen_ids.h"

#include <random>
#include <unordered_map>

#include <gtest/gtest.h>

namespace lethe::testing::seen_ids_test {
namespace {

TEST(SeenIds, HasWhatWasAddedAndNotDropped) {
  std::mt19937_64 dice(5);
  SeenIds seen;
  std::unordered_map<std::uint64_t, std::int64_t> last;
  EXPECT_FALSE(seen.Has({.low = 1, .high = 2}));
  seen.Prefetch({.low = 1, .high = 2});
  for (std::int64_t index = 0; index < 30'000; ++index) {
    const std::uint64_t id = dice() % 20'000 * 0x9e3779b97f4a7c15;
    seen.Add({.low = id, .high = 0}, {index});
    last[id] = index;
    if (index % 7000 == 6999) {
      const std::int64_t anchor = index - 3000;
      seen.DropBefore({anchor});
      std::erase_if(last, [&](const auto& entry) { return entry.second < anchor; });
    }
    const std::uint64_t other = dice() % 20'000 * 0x9e3779b97f4a7c15;
    ASSERT_EQ(seen.Has({.low = other, .high = 0}), last.contains(other)) << index;
    ASSERT_FALSE(seen.Has({.low = other, .high = 1}));
  }
  seen.DropBefore({30'000});
  EXPECT_TRUE(seen.empty());
}

}  // namespace
}  // namespace lethe::testing::seen_ids_test
