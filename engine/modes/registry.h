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

}  // namespace lethe
