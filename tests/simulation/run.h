#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/simulation/checks.h"
#include "tests/simulation/defects.h"
#include "tests/simulation/script.h"

namespace lethe::simulation {

// What happened in runs.
struct Tally {
  std::int64_t runs = 0;
  std::int64_t simulated_ms = 0;
  std::int64_t records = 0;
  std::int64_t receipts = 0;
  std::int64_t rerouted = 0;      // requests that were passed on
  std::int64_t by_timer = 0;      // entries that the clock decided
  std::int64_t models_equal = 0;  // shards whose model is that of a replay
  std::int64_t crashes = 0;       // that took place; the faults below are those that were planned
  std::int64_t power_cuts = 0;
  std::int64_t failures = 0;  // processes that ended with an error
  std::array<std::int64_t, static_cast<std::size_t>(OpKind::kCount)> ops{};
};

// Runs a script to its end, then lets everything come to rest without faults, and checks all rules.
// Returns the first one that was broken. One thread; prints nothing.
std::optional<Violation> RunScript(const Script& script, Defect defect, Tally& tally);

// Takes operations out of a script that breaks a rule for as long as it still breaks that rule.
Script Shrink(const Script& script, Defect defect, const Violation& violation);

}  // namespace lethe::simulation
