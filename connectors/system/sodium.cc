#include "connectors/system/sodium.h"

#include <sodium.h>

#include "engine/base/check.h"

namespace lethe {

// It fails only where the operating system has no randomness to give. To go on without would draw
// noise that somebody can guess.
void PrepareSodium() { LETHE_CHECK(sodium_init() >= 0); }

}  // namespace lethe
