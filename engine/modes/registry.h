#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/modes/unlearner.h"

// Every mode, one line each: the name of its ModeEntry.
#define LETHE_MODES(MODE)     \
  MODE(kPassiveMode)          \
  MODE(kActiveMode)           \
  MODE(kRetrainMode)          \
  MODE(kRestartMode)          \
  MODE(kNoneMode)             \
  MODE(kD2dStrongMode)        \
  MODE(kD2dPerfectMode)       \
  MODE(kD2dRegularisedMode)   \
  MODE(kD2dDistributedMode)   \
  MODE(kCertifiedRemovalMode) \
  MODE(kNoisyMode)            \
  MODE(kNoisyGdMode)          \
  MODE(kOnlineDpMode)         \
  MODE(kFatsMode)

namespace lethe {

// nullptr if there is no such mode.
const ModeEntry* FindMode(std::string_view name);
std::vector<std::string> ModeNames();

// All that follows from a spec before any data is seen; fails (kConfig) with what is wrong.
struct Plan {
  Spec spec;
  Constants constants;
  Promise budget;   // what the user allows
  Promise promise;  // what the mode keeps: the budget, or nothing at all if it is exact
  Schedule schedule;
  const ModeEntry* mode;

  static Result<Plan> Make(const Spec& spec);

  // Whether the promise holds also when requests depend on what was released.
  bool AllowsAdaptiveRequests() const;

  // Fails (kConfig) if a running engine cannot keep what this mode holds.
  Status CheckRun() const;

  // The reasons, known from the configuration alone, why no deletion will be certified.
  std::vector<std::string> WhyNotCertified() const;
};

}  // namespace lethe
