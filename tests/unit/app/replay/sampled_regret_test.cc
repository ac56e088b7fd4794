#include "app/replay/sampled_regret.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "app/compare/compare.h"
#include "app/replay/regret.h"
#include "app/replay/result_files.h"
#include "connectors/system/sodium_hash.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_random.h"

namespace lethe::sampled_regret_test {
namespace {

using proof::Dice;

constexpr std::int64_t kSlots = 50;

const Constants kConstants = {
    .feature_norm = 1, .radius = 100, .G = 1, .L = 1, .beta = 1.1, .mu = 0.1};

std::vector<Example> Events(int n) {
  Dice dice(51);
  std::vector<Example> events;
  for (int i = 0; i < n; ++i) {
    Example example{dice.Direction(3, 1), 0};
    example.y = 2 * example.x[0] - example.x[2] + 0.1 * dice.Normal();
    events.push_back(example);
  }
  return events;
}

SampledRegret NewSample() { return {Loss(LossKind::kSquared), kConstants, kSlots}; }

void ExpectSame(const std::optional<SampledRegret::Slot>& a,
                const std::optional<SampledRegret::Slot>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->index, b->index);
  EXPECT_EQ(a->x, b->x);
  EXPECT_EQ(a->y, b->y);
}

TEST(SampledRegretTest, ADeletionLeavesItsSlotEmptyAndTheOthersAsIfItHadNeverBeenSeen) {
  const std::vector<Example> events = Events(2000);
  int emptied = 0;
  for (std::int64_t deleted = 0; deleted < 1000; deleted += 3) {
    SampledRegret seen = NewSample(), blank = NewSample();
    for (std::int64_t i = 0; i < std::ssize(events); ++i) {
      const LearnedStep step{{i}, {0}, 0, events[static_cast<std::size_t>(i)]};
      seen.Learn(step);
      if (i != deleted) blank.Learn(step);
      if (i == 1000) {
        const Target target{{deleted}, {}};
        seen.Forget({&target, 1});
      }
    }
    ASSERT_EQ(seen.slots().size(), blank.slots().size());
    const auto own = SampledRegret::SlotOf({deleted}, kSlots);
    for (std::size_t i = 0; i < seen.slots().size(); ++i) {
      const bool is_own = own && static_cast<std::size_t>(*own) == i;
      // In its own slot is nothing, or what a later index put there in every world. (What the event
      // had displaced does not come back: that would tell that it was there.)
      if (is_own && !seen.slots()[i]) {
        ++emptied;
      } else {
        ExpectSame(seen.slots()[i], blank.slots()[i]);
      }
    }
  }
  EXPECT_GT(emptied, 0);  // otherwise later events had covered all of it up
}

TEST(SampledRegretTest, AnEventThatWasReplacedIsNoLongerThereToBeDeleted) {
  const std::vector<Example> events = Events(5000);
  SampledRegret sample = NewSample();
  for (std::int64_t i = 0; i < std::ssize(events); ++i) {
    sample.Learn({{i}, {0}, 0, events[static_cast<std::size_t>(i)]});
  }
  std::set<std::int64_t> held;
  for (const auto& slot : sample.slots()) held.insert(slot->index.value);
  for (std::int64_t i = 0; i < 5000; ++i) {
    if (held.contains(i)) continue;
    const Target target{{i}, {}};
    sample.Forget({&target, 1});
  }
  EXPECT_EQ(sample.size(), kSlots);
}

// In each tenth of the stream a tenth of the slots, within five standard deviations.
TEST(SampledRegretTest, SlotsAreAUniformSampleOfTheIndices) {
  constexpr std::int64_t kEvents = 20000, kMany = 2000;
  std::vector<std::int64_t> held(kMany);
  for (std::int64_t i = 0; i < kEvents; ++i) {
    if (const auto slot = SampledRegret::SlotOf({i}, kMany)) {
      held[static_cast<std::size_t>(*slot)] = i;
    }
  }
  std::vector<int> tenths(10);
  for (const std::int64_t index : held) ++tenths[static_cast<std::size_t>(index * 10 / kEvents)];
  for (const int count : tenths) EXPECT_NEAR(count, 200, 5 * std::sqrt(2000 * 0.1 * 0.9));
}

TEST(SampledRegretTest, IsTheExactRegretWhenEverythingFits) {
  const std::vector<Example> events = Events(40);
  SampledRegret sample = NewSample();
  Regret exact(Loss(LossKind::kSquared), kConstants);
  for (std::int64_t i = 0; i < std::ssize(events); ++i) {
    const LearnedStep step{{i}, {0.3}, 0.5, events[static_cast<std::size_t>(i)]};
    sample.Learn(step);
    exact.Learn(step);
  }
  EXPECT_NEAR(sample.Estimate(), exact.paid() - exact.Comparator(), 1e-9);
  EXPECT_EQ(sample.size(), 40);
}

TEST(SampledRegretTest, WithNothingLearnedThereIsNoRegret) { EXPECT_EQ(NewSample().Estimate(), 0); }

std::vector<Record> Records(int n) {
  std::vector<Record> records;
  const std::vector<Example> events = Events(n);
  for (int i = 0; i < n; ++i) {
    Record record;
    record.offset = {static_cast<std::int64_t>(records.size())};
    record.event.id = "e" + std::to_string(i);
    const Example& example = events[static_cast<std::size_t>(i)];
    for (const double x : example.x) record.event.x.push_back(0.9 * x);
    record.event.y = std::clamp(example.y, -1.0, 1.0);
    records.push_back(record);
    if (i % 100 != 99) continue;
    record.offset = {static_cast<std::int64_t>(records.size())};
    record.event.kind = EventKind::kDelete;
    record.event.id = "e" + std::to_string(i - 30);
    records.push_back(record);
  }
  return records;
}

TEST(SampledRegretTest, CompareEstimatesNearTheExactRegretAndSaysSo) {
  Spec base = PassiveSpec();
  base.model.loss = LossKind::kSquared;
  base.model.dimension = 3;
  base.model.lambda = 0.05;
  base.model.radius = 6;
  base.learning.eta = 0.2;
  base.noise.source = NoiseKind::kSeeded;
  const auto contenders = ChooseContenders(AllContenders(base), {"passive", "restart"}).value();
  const auto records = Records(4000);
  const auto exact = Compare(contenders, records, {});
  const auto sampled = Compare(contenders, records, {.regret_sample = 1000});
  ASSERT_TRUE(exact.ok() && sampled.ok());
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const ReplayResult& a = *exact.value()[i].result;
    const ReplayResult& b = *sampled.value()[i].result;
    EXPECT_FALSE(a.regret_sample);
    ASSERT_TRUE(b.regret_sample && b.regret());
    EXPECT_GT(*b.regret_sample, 980);
    EXPECT_LE(*b.regret_sample, 1000);
    EXPECT_NEAR(*b.regret(), *a.regret(), 0.25 * *a.regret()) << contenders[i].name;
    EXPECT_NE(SummaryJson(Plan::Make(contenders[i].spec).value(), b, SodiumHasher())
                  .find("\"regret_sample\":"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace lethe::sampled_regret_test
