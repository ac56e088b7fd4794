#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/simulation/checks.h"
#include "tests/simulation/defects.h"
#include "tests/simulation/script.h"

namespace lethe::simulation {

// The counts of one or more runs.
struct Tally {
  std::int64_t runs = 0;
  std::int64_t simulated_ms = 0;
  std::int64_t records = 0;
  std::int64_t receipts = 0;
  std::int64_t rerouted = 0;      // requests that were passed on
  std::int64_t by_timer = 0;      // entries that the clock decided
  std::int64_t by_group = 0;      // receipts of requests that shared a rewind with others
  std::int64_t chains_equal = 0;  // shards whose chain is that of a replay that obeys it
  std::int64_t models_equal = 0;  // shards whose model is that of a replay
  std::int64_t crashes = 0;       // crashes that took place; `ops` has those that were planned
  std::int64_t power_cuts = 0;
  std::int64_t failures = 0;  // processes that ended with an error
  std::array<std::int64_t, static_cast<std::size_t>(OpKind::kCount)> ops{};
};

// Runs a script to its end, then lets everything come to rest without faults, and checks all rules.
// Returns the first broken rule, if there is one. Uses one thread and prints nothing.
std::optional<Violation> RunScript(const Script& script, Defect defect, Tally& tally);

// Removes operations from a script that breaks a rule, as long as the script still breaks that
// rule.
Script Shrink(const Script& script, Defect defect, const Violation& violation);

}  // namespace lethe::simulation
