#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/replay/replay.h"
#include "engine/base/status.h"
#include "engine/ports/event.h"
#include "engine/spec/spec.h"

namespace lethe {

// One way to forget that takes part in a comparison.
struct Contender {
  std::string name;  // "passive", "passive/zeta", "active/ledger", ...
  Spec spec;
};

// Every way there is, on the user's model, learning and budget.
std::vector<Contender> AllContenders(const Spec& base);

// The contenders with these names: `noisy_gd` is one row, `noisy_gd/all` all whose name begins with
// that, and so is `active`, which is no row itself. kUsage for a name that fits none.
Result<std::vector<Contender>> ChooseContenders(const std::vector<Contender>& all,
                                                const std::vector<std::string>& names);

struct Comparison {
  Contender contender;
  std::optional<std::string> refused;  // why it cannot run with this configuration
  std::vector<std::string> why_not;    // certified if empty
  bool is_exact = false;
  Promise promise;           // what a certificate says, if there is one
  bool is_joint = false;     // it covers all deleted events together
  bool is_adaptive = false;  // and requests that depend on what was released
  std::optional<ReplayResult> result;

  std::int64_t deletions() const { return result->total.draws; }
};

struct CompareOptions {
  bool regret = true;
  std::int64_t regret_sample = 0;  // not 0: the regret is estimated from so many events of a shard
  bool keep_series = false;        // for charts
  int threads = 1;
  // Called now and then from one thread with the share of the work that is done.
  std::function<void(double share)> on_progress = [](double) {};
};

// Runs every contender on the same records, several at a time. Fails when one of them fails, or
// when interrupted.
Result<std::vector<Comparison>> Compare(const std::vector<Contender>& contenders,
                                        const std::vector<Record>& records,
                                        const CompareOptions& options);

}  // namespace lethe
