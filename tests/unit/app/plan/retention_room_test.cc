// What a retention takes, and the warnings where the machine or the waits do not fit it.

#include "app/plan/retention_room.h"

#include <gtest/gtest.h>

#include "engine/shard/config_warnings.h"
#include "engine/spec/retention.h"
#include "tests/support/passive_spec.h"

namespace lethe::retention_room_test {
namespace {

Spec Rewind(const Retention& retention) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 20;
  spec.forgetting.mode = "rewind";
  spec.forgetting.retention = retention;
  return spec;
}
Plan PlanOf(const Spec& spec) {
  auto plan = Plan::Make(spec);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return plan.value();
}
bool Has(const std::vector<std::string>& texts, const std::string& words) {
  for (const std::string& text : texts) {
    if (text.find(words) != std::string::npos) return true;
  }
  return false;
}

constexpr std::int64_t kDayMs = 24 * 3'600'000;

TEST(RetentionRoomTest, EventsThatTheDiskOrTheMemoryCannotHoldAreWarnedOfWithTheNumbers) {
  const Plan plan = PlanOf(Rewind({.events = 1'000'000'000}));
  RetentionRoom room = FindRetentionRoom(plan, "/nowhere/at/all");
  EXPECT_GT(room.disk_bytes, 0) << "of the nearest folder that exists";
  EXPECT_GT(room.memory_bytes, 0);
  EXPECT_EQ(room.window, 500'000'000);
  EXPECT_EQ(room.event_bytes, 240);
  room.disk_bytes = 1e12;
  room.memory_bytes = 1e12;
  EXPECT_TRUE(RetentionWarnings(plan, room).empty());
  room.disk_bytes = 1e10;
  const auto warnings = RetentionWarnings(plan, room);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "forgetting.retention: 1000000000 at about 240 bytes an event takes 240000 MB, and the "
            "disk of state.path has 10000 MB: set it to at most 40000000");
  room.disk_bytes = 1e12;
  room.memory_bytes = 1e10;
  EXPECT_TRUE(Has(RetentionWarnings(plan, room), "memory"));
  room.shards = 3;
  EXPECT_TRUE(Has(RetentionWarnings(plan, room), "at most 13800000")) << "all shards together";
}

TEST(RetentionRoomTest, ATimeSaysHowFastTheStreamMayBe) {
  const Plan plan = PlanOf(Rewind({.time_ms = 30 * kDayMs}));
  RetentionRoom room = FindRetentionRoom(plan, "state");
  EXPECT_EQ(room.window, 0);
  EXPECT_EQ(room.window_ms, 15 * kDayMs);
  room.disk_bytes = 240.0 * 30 * 86400 * 50;
  EXPECT_EQ(RetentionInWords(plan, room),
            "30d of event time: what arrived earlier has expired (the window is 15d); the disk has "
            "room for about 50 events a second");
  EXPECT_TRUE(RetentionWarnings(plan, room).empty());
  room.disk_bytes /= 100;
  EXPECT_TRUE(Has(RetentionWarnings(plan, room), "only with less than 0.5 events a second"));
}

TEST(RetentionRoomTest, TheLineOfCheckSaysTwoWindows) {
  const Plan automatic = PlanOf(Rewind({}));
  const RetentionRoom room = FindRetentionRoom(automatic, "state");
  EXPECT_EQ(RetentionInWords(automatic, room),
            std::to_string(2 * room.window) + " events: what is further back has expired (the " +
                "window is " + std::to_string(room.window) + "); about " +
                std::to_string(std::llround(room.bytes() / 1e6)) + " MB");
  const Plan all = PlanOf(Rewind({.all = true}));
  EXPECT_EQ(RetentionInWords(all, FindRetentionRoom(all, "state")), "all: nothing expires");
  Spec passive = PassiveSpec();
  passive.model.dimension = 2;
  EXPECT_EQ(RetentionInWords(PlanOf(passive), FindRetentionRoom(PlanOf(passive), "state")), "");
}

TEST(RetentionWaits, ThatOutlastTheWindowAreRefusedOrWarnedOf) {
  Spec spec = Rewind({.time_ms = 2 * kDayMs});
  spec.forgetting.batch_window.event_time_ms = kDayMs;
  EXPECT_TRUE(Warnings(PlanOf(spec)).empty());
  spec.forgetting.batch_window.event_time_ms = kDayMs + 1;
  const auto refused = Plan::Make(spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("Set it to at most 24h"), std::string::npos);
  spec.forgetting.batch_window = {};
  spec.forgetting.deadline.event_time_ms = kDayMs + 1;
  EXPECT_TRUE(Has(Warnings(PlanOf(spec)), "forgetting.deadline is longer than the window"));
  spec = Rewind({.events = 100});
  spec.forgetting.deadline.events = 51;
  EXPECT_TRUE(Has(Warnings(PlanOf(spec)), "set it to at most 50"));
  spec.forgetting.batch_window.events = 51;
  EXPECT_FALSE(Plan::Make(spec).ok());
}

TEST(RetentionText, IsThatOfAConfiguration) {
  EXPECT_EQ(ToText(Retention{}), "auto");
  EXPECT_EQ(ToText(Retention{.all = true}), "all");
  EXPECT_EQ(ToText(Retention{.events = 100}), "100");
  EXPECT_EQ(ToText(Retention{.time_ms = 30 * kDayMs}), "30d");
  EXPECT_EQ(ToText(Retention{.time_ms = kDayMs}), "24h");
  EXPECT_EQ(ToText(Retention{.time_ms = 90'500}), "90500ms");
}

TEST(RetentionText, ATimeThatIsTooShortIsRefused) {
  const auto plan = Plan::Make(Rewind({.time_ms = 1}));
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.status().message().find("at least 2s"), std::string::npos);
  Spec passive = Rewind({.time_ms = kDayMs});
  passive.forgetting.mode = "passive";
  EXPECT_FALSE(Plan::Make(passive).ok());
}

// The seeds of the default configurations must not change with the machine.
TEST(RetentionAuto, IsEightHalfLivesWithinItsBounds) {
  const auto window = [](Spec spec) {
    const Plan plan = PlanOf(spec);
    return RewindWindow(plan.spec, plan.constants, plan.schedule);
  };
  Spec spec = Rewind({});
  spec.learning.eta = 0.1;
  spec.model.lambda = 0.01;
  EXPECT_EQ(window(spec), 100'000) << "at least";
  spec.model.lambda = 1e-4;
  EXPECT_EQ(window(spec), 554'000) << "8 ln 2 / 1e-5";
  spec.model.lambda = 1e-6;
  EXPECT_EQ(window(spec), 1'066'000) << "what 512 MB hold: twice as many of 240 bytes";
  spec.model.lambda = 0.01;
  spec.learning = {.schedule = ScheduleKind::kInverseTime, .eta = {}, .horizon = {}};
  EXPECT_EQ(window(spec), 1'000'000);
  spec.model.dimension = 100;
  EXPECT_EQ(window(spec), 290'000);
}

}  // namespace
}  // namespace lethe::retention_room_test
