#pragma once

#include "engine/modes/unlearner.h"

namespace lethe {

// Mode certified_removal as published, never certified.
extern const ModeEntry kPaperRemovalMode;

// Fails (kConfig) for settings that no variant of certified_removal supports.
Status CheckRemoval(const Spec& spec);

}  // namespace lethe
