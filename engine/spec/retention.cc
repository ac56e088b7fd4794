#include "engine/spec/retention.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/elementary.h"
#include "engine/spec/dimension.h"

namespace lethe {
namespace {

constexpr double kHalfLives = 8;
constexpr double kLeastEvents = 100'000;
constexpr double kEventsWithoutHalfLife = 1'000'000;
constexpr double kMostBytes = 512e6;
// Of one event: its index, hashes and place in the tables, and its features.
constexpr double kBytesOfNames = 72;
constexpr double kBytesOfHashedFeatures = 1200;

}  // namespace

WindowChoice ChooseWindow(const Spec& spec, const Constants& constants, const Schedule& schedule) {
  const Retention& retention = spec.forgetting.retention;
  if (retention.all) return {0, WindowReason::kAll};
  if (retention.time_ms > 0) return {0, WindowReason::kTime};
  if (retention.events > 0) return {retention.events / 2, WindowReason::kStated};
  double events = kEventsWithoutHalfLife;
  WindowReason reason = WindowReason::kNoHalfLife;
  if (spec.learning.schedule == ScheduleKind::kConstant &&
      spec.learning.update == UpdateKind::kSgd) {
    const double half_life =
        std::numbers::ln2 / -elementary::Log1p(-schedule.Step(1) * constants.mu);
    events = std::max(kLeastEvents, kHalfLives * half_life);
    reason =
        kHalfLives * half_life > kLeastEvents ? WindowReason::kHalfLives : WindowReason::kLeast;
  }
  const double in_memory = kMostBytes / 2 / BytesOfRetainedEvent(spec);
  if (in_memory < events) reason = WindowReason::kMemory;
  const double window = std::min(events, in_memory);
  // A round number does not depend on the last bit of a logarithm.
  if (window < 2000) return {std::max<std::int64_t>(2, static_cast<std::int64_t>(window)), reason};
  return {static_cast<std::int64_t>(window / 1000) * 1000, reason};
}

std::int64_t RewindWindow(const Spec& spec, const Constants& constants, const Schedule& schedule) {
  return ChooseWindow(spec, constants, schedule).events;
}

std::int64_t RewindWindowMs(const ForgettingSpec& forgetting) {
  return forgetting.mode == "rewind" ? forgetting.retention.time_ms / 2 : 0;
}

double BytesOfRetainedEvent(const Spec& spec) {
  return kBytesOfNames + (IsSparse(spec) ? kBytesOfHashedFeatures
                                         : 8 * static_cast<double>(FeatureDimension(spec) + 1));
}

// As a configuration prints a duration: the largest unit of which there is a whole number, and 24h
// and 60s rather than 1d and 1m.
std::string ToText(const Retention& retention) {
  if (retention.all) return "all";
  if (retention.is_auto()) return "auto";
  if (retention.events > 0) return std::to_string(retention.events);
  struct Unit {
    const char* name;
    std::int64_t ms;
    std::int64_t least;
  };
  constexpr Unit kUnits[] = {{"d", 24 * 3'600'000, 2},
                             {"h", 3'600'000, 1},
                             {"m", 60'000, 2},
                             {"s", 1000, 1},
                             {"ms", 1, 0}};
  const Unit* unit = kUnits;
  while (retention.time_ms % unit->ms != 0 || retention.time_ms / unit->ms < unit->least) ++unit;
  return std::to_string(retention.time_ms / unit->ms) + unit->name;
}

}  // namespace lethe
