#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan.h"

namespace lethe {

// Noise of this part of the model's radius, as the norm sigma sqrt(d), does no harm that is worth
// waiting for. The one threshold of `check` and `plan`.
inline constexpr double kSmallShare = 0.01;

// The longest wait that is looked for, in events.
inline constexpr std::int64_t kLongestWait = 1'000'000;

// What a user should know about a configuration that is allowed, before any data is seen: one
// sentence or two each, with what to do. For `lethe check` and `lethe plan`.
std::vector<std::string> Warnings(const Plan& plan);

}  // namespace lethe
