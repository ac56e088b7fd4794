#pragma once

#include "engine/modes/unlearner.h"

namespace lethe {

// Mode certified_removal as published, never certified.
extern const ModeEntry kPaperRemovalMode;

// Refuses what no variant of certified_removal can use.
Status CheckRemoval(const Spec& spec);

}  // namespace lethe
