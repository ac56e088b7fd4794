// The window of mode rewind: how long it is, what decided it, and how many bytes it may take.

#include "engine/spec/retention.h"

#include <gtest/gtest.h>

#include "tests/support/passive_spec.h"

namespace lethe::retention_test {
namespace {

WindowChoice Choose(const Spec& spec) {
  const auto constants = Constants::Derive(spec.model).value();
  const auto schedule = Schedule::Make(spec.learning, Split::kCurve, constants, 0.03, 20).value();
  const WindowChoice choice = ChooseWindow(spec, constants, schedule);
  EXPECT_EQ(choice.events, RewindWindow(spec, constants, schedule));
  return choice;
}

Spec Dense(std::int64_t dimension, double lambda = 0.01) {
  Spec spec = PassiveSpec();
  spec.model.dimension = dimension;
  spec.model.lambda = lambda;
  return spec;
}

TEST(RetentionTest, TheChoiceSaysWhatDecidedIt) {
  const WindowChoice least = Choose(Dense(20));
  EXPECT_EQ(least.reason, WindowReason::kLeast);
  EXPECT_EQ(least.events, 100'000);

  const WindowChoice half_lives = Choose(Dense(20, 1e-5));
  EXPECT_EQ(half_lives.reason, WindowReason::kHalfLives);
  EXPECT_GT(half_lives.events, 100'000);

  EXPECT_EQ(Choose(Dense(20, 1e-7)).reason, WindowReason::kMemory);

  Spec spec = Dense(20);
  spec.learning.schedule = ScheduleKind::kInverseTime;
  EXPECT_EQ(Choose(spec).reason, WindowReason::kNoHalfLife);
  EXPECT_EQ(Choose(spec).events, 1'000'000);

  spec.forgetting.retention.events = 5000;
  EXPECT_EQ(Choose(spec).reason, WindowReason::kStated);
  EXPECT_EQ(Choose(spec).events, 2500);

  spec.forgetting.retention = {.all = true, .events = 0, .time_ms = 0};
  EXPECT_EQ(Choose(spec).reason, WindowReason::kAll);
  EXPECT_EQ(Choose(spec).events, 0);
}

TEST(RetentionTest, WhatMemoryDecidedFitsIntoTheMemory) {
  const Spec spec = Dense(1000);
  const WindowChoice choice = Choose(spec);
  EXPECT_EQ(choice.reason, WindowReason::kMemory);
  EXPECT_LE(2 * static_cast<double>(choice.events) * BytesOfRetainedEvent(spec), 512e6);
  EXPECT_GE(2 * static_cast<double>(choice.events + 1000) * BytesOfRetainedEvent(spec), 512e6);
}

}  // namespace
}  // namespace lethe::retention_test
