#pragma once

#include <cstdint>

#include "engine/spec/schedule.h"
#include "engine/spec/spec.h"

namespace lethe {

// The least retention that can be stated: two windows of two events.
inline constexpr std::int64_t kLeastRetention = 4;

// The window W of mode rewind, in learn events; 0 if the window has no end. The retention is 2 W:
// a model depends on the last W to 2 W events and on nothing before them.
//
// `auto` is eight half-lives of the model, at least 100,000 events, and at most what 512 MB hold.
// Steps that are not constant have no half-life; then it is 1,000,000 events, or what 512 MB hold.
std::int64_t RewindWindow(const Spec& spec, const Constants& constants, const Schedule& schedule);

}  // namespace lethe
