#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan.h"

namespace lethe {

// Noise counts as harmless if its norm, sigma sqrt(d), is at most this share of the model's radius.
// `lethe check` and `lethe plan` use this one threshold.
inline constexpr double kSmallShare = 0.01;

// The longest wait that is considered, in events.
inline constexpr std::int64_t kLongestWait = 1'000'000;

// Warnings about a configuration that is valid but probably not intended. Each has one or two
// sentences and says what to change. For `lethe check`, `lethe plan` and `lethe compare`.
// `stream_events`: the length of the stream, if it is known; no longer wait is recommended.
std::vector<std::string> Warnings(const Plan& plan, std::int64_t stream_events = kLongestWait);

}  // namespace lethe
