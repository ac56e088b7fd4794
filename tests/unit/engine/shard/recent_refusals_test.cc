// The newest refusals of subjects answer as a table of all refusals does, or not at all.

#include "engine/shard/recent_refusals.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace lethe::testing::recent_refusals_test {
namespace {

KeyHash Name(std::uint64_t number) { return {.low = number, .high = 0}; }

TEST(RecentRefusals, AgreeWithATableOfAll) {
  for (const std::int64_t spread : {0, 1, 50, 100'000}) {
    std::mt19937_64 dice(static_cast<std::uint64_t>(spread));
    const auto below = [&](std::int64_t n) {
      return static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(n));
    };
    std::map<std::uint64_t, Refusal> all;
    RecentRefusals recent;
    std::int64_t now = 1'000'000;
    std::int64_t answered = 0;
    for (int i = 0; i < 60'000; ++i) {
      now += below(3) * spread / 50;
      const auto name = static_cast<std::uint64_t>(below(8000));
      if (i % 2 == 0) {
        Refusal refusal{.until = {now + below(2 * spread + 2)}, .up_to = {now - below(spread + 1)}};
        if (below(10) == 0) refusal.until = kNoTime;
        refusal.up_to = std::max(refusal.up_to, all[name].up_to);
        all[name] = refusal;
        recent.Set(Name(name), refusal);
        continue;
      }
      const TimeMs timestamp{now - below(spread + 1)};
      const Refusal& refusal = all[name];
      const bool has_ended = refusal.until != kNoTime && refusal.until.value < now;
      const auto known = recent.IsRefused(Name(name), timestamp, {now});
      if (!known) continue;
      ++answered;
      ASSERT_EQ(*known, !has_ended && timestamp <= refusal.up_to) << i << " " << spread;
    }
    EXPECT_GT(answered, spread == 0 ? 1000 : 5000) << spread;
  }
}

TEST(RecentRefusals, AStateThatWasLoadedIsAskedForWhatItMayHave) {
  RecentRefusals recent;
  recent.BeginAfter({500});
  EXPECT_EQ(recent.IsRefused(Name(1), {500}, {900}), std::nullopt);
  EXPECT_EQ(recent.IsRefused(Name(1), {501}, {900}), false);
  recent.Set(Name(1), {.up_to = {700}});
  EXPECT_EQ(recent.IsRefused(Name(1), {700}, {900}), true);
  EXPECT_EQ(recent.IsRefused(Name(1), {701}, {900}), false);
  EXPECT_EQ(recent.IsRefused(Name(1), {499}, {900}), std::nullopt);
}

}  // namespace
}  // namespace lethe::testing::recent_refusals_test
