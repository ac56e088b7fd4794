#pragma once

#include <cstdint>
#include <string>

#include "engine/spec/schedule.h"
#include "engine/spec/spec.h"

namespace lethe {

// The least retention that can be stated: two windows of two events.
inline constexpr std::int64_t kLeastRetention = 4;
// The same in event time: two windows of a second, by which the clocks of two machines may differ.
inline constexpr std::int64_t kLeastRetentionMs = 2000;

// The window W of mode rewind, in learn events; 0 if the window has no end or is one in time. The
// retention is 2 W: a model depends on the last W to 2 W events and on nothing before them.
//
// `auto` is eight half-lives of the model, at least 100,000 events, and at most what 512 MB hold.
// Steps that are not constant have no half-life; then it is 1,000,000 events, or what 512 MB hold.
std::int64_t RewindWindow(const Spec& spec, const Constants& constants, const Schedule& schedule);

// What decided the window: the configuration, which states it in events or in time or asks for all
// events; the rule of half-lives; the least or the usual window of `auto`; or the memory that
// `auto` may take.
enum class WindowReason { kStated, kTime, kAll, kHalfLives, kLeast, kNoHalfLife, kMemory };

struct WindowChoice {
  std::int64_t events = 0;  // W, as RewindWindow has it
  WindowReason reason = WindowReason::kStated;
};

WindowChoice ChooseWindow(const Spec& spec, const Constants& constants, const Schedule& schedule);

// The window W of mode rewind in event time; 0 if it is not one in time.
std::int64_t RewindWindowMs(const ForgettingSpec& forgetting);

// The retention as in a configuration file: auto, all, 100000, 30d.
std::string ToText(const Retention& retention);

// The bytes that an event of the window takes in memory or on disk, its names included. Named
// features are counted as a usual event has them.
double BytesOfRetainedEvent(const Spec& spec);

}  // namespace lethe
