#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/modes/unlearner.h"

// The list of all modes: the name of each ModeEntry. The file of a mode defines its entry.
#define LETHE_MODES(MODE)     \
  MODE(kPassiveMode)          \
  MODE(kActiveMode)           \
  MODE(kRewindMode)           \
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

// The static entry of a mode; nullptr if there is no such mode. Thread-safe.
const ModeEntry* FindMode(std::string_view name);
// The names of all modes, in the order of the list.
std::vector<std::string> ModeNames();

}  // namespace lethe
