#include "engine/spec/retention.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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

std::int64_t RewindWindow(const Spec& spec, const Constants& constants, const Schedule& schedule) {
  const Retention& retention = spec.forgetting.retention;
  if (retention.all) return 0;
  if (retention.events > 0) return retention.events / 2;
  double events = kEventsWithoutHalfLife;
  if (spec.learning.schedule == ScheduleKind::kConstant) {
    const double half_life = std::numbers::ln2 / -std::log1p(-schedule.Step(1) * constants.mu);
    events = std::max(kLeastEvents, kHalfLives * half_life);
  }
  const double features = spec.model.hash_bits
                              ? kBytesOfHashedFeatures
                              : 8 * static_cast<double>(spec.model.dimension + 1);
  const double window = std::min(events, kMostBytes / 2 / (kBytesOfNames + features));
  // A round number does not depend on the last bit of a logarithm.
  if (window < 2000) return std::max<std::int64_t>(2, static_cast<std::int64_t>(window));
  return static_cast<std::int64_t>(window / 1000) * 1000;
}

}  // namespace lethe
