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

// A mode or variant that takes part in a comparison.
struct Contender {
  std::string name;  // "passive", "passive/zeta", "active/ledger", ...
  Spec spec;
};

// All modes and variants, with the model, learning and budget of `base`.
std::vector<Contender> AllContenders(const Spec& base);

// The contenders with these names. `noisy_gd` names one contender, and `noisy_gd/all` every
// contender whose name begins with it. A name that is only a prefix, such as `active`, also stands
// for all of them. `rewind/N` is mode rewind with a retention of N events. kUsage for a name that
// fits none.
Result<std::vector<Contender>> ChooseContenders(const std::vector<Contender>& all,
                                                const std::vector<std::string>& names);

// The result of one contender.
struct Comparison {
  Contender contender;
  std::optional<std::string> refused;  // why it cannot run with this configuration
  std::vector<std::string> why_not;    // why its deletions are not certified; empty: they are
  bool is_exact = false;
  // The window of mode rewind: "100000", "15d" or "all"; empty in other modes.
  std::string window;
  // What is probably not intended, such as noise that drowns the model.
  std::vector<std::string> warnings;
  Promise promise;           // what a certificate says, if there is one
  bool is_joint = false;     // the promise covers all deleted events together
  bool is_adaptive = false;  // the promise covers requests that depend on released models
  std::optional<ReplayResult> result;

  // Needs a result.
  std::int64_t deletions() const { return result->total.draws; }
};

struct CompareOptions {
  bool regret = true;
  std::int64_t regret_sample = 0;  // if not 0: events of a shard from which regret is estimated
  bool keep_series = false;        // for charts
  int threads = 1;
  // Called now and then, by one thread, with the share of the work that is done.
  std::function<void(double share)> on_progress = [](double) {};
};

// Runs every contender on the same records, in options.threads threads. A contender that the
// configuration does not allow is no error: `refused` says why. Fails if a run fails, or with
// kInterrupted after a signal.
Result<std::vector<Comparison>> Compare(const std::vector<Contender>& contenders,
                                        const std::vector<Record>& records,
                                        const CompareOptions& options);

}  // namespace lethe
